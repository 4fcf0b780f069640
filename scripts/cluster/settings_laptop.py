# SPDX-License-Identifier: MIT
"""ReFrame's configuration for a single machine without a scheduler.

Each feature is a kind of device that `reprise doctor` finds: add "cuda" or "opengl" if it does.
"""
site_configuration = {
    "systems": [{
        "name": "laptop",
        "descr": "this machine",
        "hostnames": [".*"],
        "partitions": [{
            "name": "default",
            "scheduler": "local",
            "launcher": "local",
            "environs": ["default"],
            "features": ["cpu", "opencl"],
            "max_jobs": 1,  # jobs that run together would disturb each other's times
        }],
    }],
    "environments": [{"name": "default", "target_systems": ["*"]}],
}
