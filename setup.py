from setuptools import find_packages, setup

setup(
    packages=[
        "citeloom",
        *(f"citeloom.{name}" for name in find_packages("src")),
        # Data alone: the sample library of `citeloom demo`.
        "citeloom.sample_library",
    ]
)
