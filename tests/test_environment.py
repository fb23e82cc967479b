"""The doors to the pins: environment.yml and postBuild for conda and Binder, constraints.txt for all."""

from __future__ import annotations

import os
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import rattler
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
DIRECT = [*PROJECT["dependencies"], *(line for extra in PROJECT["optional-dependencies"].values() for line in extra)]


@pytest.fixture(scope="module")
def environment() -> dict[str, Any]:
    data = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))
    assert isinstance(data, dict)
    return data


@pytest.fixture(scope="module")
def pins() -> dict[str, Version]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    found: dict[str, Version] = {}
    for line in lines:
        if line.strip() and not line.startswith("#"):
            requirement = Requirement(line)
            operators = [(part.operator, "*" in part.version) for part in requirement.specifier]
            assert operators == [("==", False)], f"not an exact pin: {line}"
            found[canonicalize_name(requirement.name)] = Version(next(iter(requirement.specifier)).version)
    return found


def test_conda_brings_the_needed_python_and_pip_only(environment: dict[str, Any]) -> None:
    specs = [line for line in environment["dependencies"] if isinstance(line, str)]
    parsed = {str(match.name.normalized): match for match in (rattler.MatchSpec(line, strict=True) for line in specs)}
    assert set(parsed) == {"python", "pip"}
    assert str(parsed["python"].version) == "3.11.*"
    assert SpecifierSet(PROJECT["requires-python"]).contains("3.11.0")


def test_pip_part_takes_the_project_at_the_pins(environment: dict[str, Any]) -> None:
    parts = [line["pip"] for line in environment["dependencies"] if isinstance(line, dict)]
    assert parts == [["--extra-index-url https://download.pytorch.org/whl/cpu", "-c constraints.txt", "-e ."]]
    assert environment["name"] == PROJECT["name"]


@pytest.mark.parametrize("line", DIRECT)
def test_direct_dependency_is_pinned_within_its_range(line: str, pins: dict[str, Version]) -> None:
    requirement = Requirement(line)
    pin = pins.get(canonicalize_name(requirement.name))
    assert pin is not None, f"constraints.txt has no {requirement.name}"
    assert requirement.specifier.contains(pin), f"{pin} is outside {line}"


@pytest.mark.parametrize("name", ["postBuild", ".ci/run"])
def test_script_is_executable_and_parses(name: str) -> None:
    path = ROOT / name
    assert os.access(path, os.X_OK)
    assert path.read_text("utf-8").startswith("#!/usr/bin/env bash\n")
    parsed = subprocess.run(["bash", "-n", path], capture_output=True, text=True)
    assert (parsed.returncode, parsed.stderr) == (0, "")
