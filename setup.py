from setuptools import find_packages, setup

setup(packages=["citeloom", *(f"citeloom.{name}" for name in find_packages("src"))])
