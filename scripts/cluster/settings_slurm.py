# SPDX-License-Identifier: MIT
"""ReFrame's configuration for a cluster under Slurm: what a site changes are the names of partitions, what they have, and how
to get it.

The scheduler is asked through squeue, which every site has; one with accounting may say "slurm", which asks sacct.
"""
site_configuration = {
    "systems": [{
        "name": "cluster",
        "descr": "nodes with processors, and nodes with GPUs",
        "hostnames": [".*"],
        "partitions": [
            {
                "name": "cpu",
                "scheduler": "squeue",
                "launcher": "local",
                "environs": ["default"],
                "features": ["cpu", "opencl"],
            },
            {
                "name": "gpu",
                "scheduler": "squeue",
                "launcher": "local",
                "access": ["--partition=gpu", "--gres=gpu:1"],
                "environs": ["default"],
                "features": ["cuda", "opencl", "opengl"],
            },
        ],
    }],
    "environments": [{"name": "default", "target_systems": ["*"]}],
}
