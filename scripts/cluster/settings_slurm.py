# SPDX-License-Identifier: MIT
"""ReFrame's configuration for a cluster under Slurm. A site changes the names of partitions, their features, and the
options to access them.

The scheduler is queried through squeue, which every site has; a site with accounting may use "slurm", which runs sacct.
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
