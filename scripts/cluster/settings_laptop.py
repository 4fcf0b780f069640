# SPDX-License-Identifier: MIT
"""ReFrame's configuration for a single machine: this one, without a scheduler.

A feature is a kind of device that `reprise doctor` finds: add "cuda" or "opengl" where it does.
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
            "max_jobs": 1,  # two at a time would time each other
        }],
    }],
    "environments": [{"name": "default", "target_systems": ["*"]}],
}
