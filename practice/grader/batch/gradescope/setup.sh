#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image of the autograder: a Python for the judge.
set -euo pipefail

source=${AUTOGRADER_ROOT:-/autograder}/source
apt-get update
apt-get install -y python3.11 python3.11-venv || apt-get install -y python3 python3-venv
python=$(command -v python3.11 || command -v python3)
"$python" -m venv "$source/.venv"
"$source/.venv/bin/pip" install --no-cache-dir -r "$source/requirements.txt" -c "$source/constraints.txt"
