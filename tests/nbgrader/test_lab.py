"""The course in JupyterLab: formgrader grades and shows, Assignment List fetches, the Validate button validates."""

import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest
from classes.course import environment
from classes.thirty import ASSIGNMENT
from playwright.sync_api import expect

from jupyter_reader import SCREENSHOTS, TOKEN, chromium, reader
from practice.nbgrader.pages import POLICY

pytestmark = pytest.mark.browser
MINUTE = 60_000
MATHJAX = "https://cdnjs.cloudflare.com/ajax/libs/mathjax/"


@contextmanager
def lab(course):
    """JupyterLab in the course folder; yields its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url, log = f"http://127.0.0.1:{port}", course.home / "lab.log"
    options = (
        f"--no-browser --allow-root --ip=127.0.0.1 --port={port} --ServerApp.port_retries=0 --expose-app-in-browser"
    )
    command = [sys.executable, "-m", "jupyterlab", *options.split(), f"--IdentityProvider.token={TOKEN}"]
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, cwd=course.folder, env=environment(course.home), stdout=output, stderr=subprocess.STDOUT
        )
        try:
            wait_for(f"{url}/api?token={TOKEN}", server)
            yield url
        finally:
            server.terminate()
            server.wait(30)


def wait_for(address, server):
    end = time.monotonic() + 120
    while time.monotonic() < end and server.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=2).close()
            return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.2)
    pytest.fail(f"JupyterLab did not answer at {address}")


@pytest.fixture(scope="module")
def looking(graded):
    """A browser at the course's JupyterLab."""
    chromium()
    with lab(graded) as url, reader(url) as looking:
        looking.page.goto(f"{url}/lab?token={TOKEN}&reset")
        looking.page.wait_for_function(
            "() => window.jupyterapp?.commands.hasCommand('nbgrader:open-formgrader')", timeout=2 * MINUTE
        )
        yield looking
    shutil.rmtree(graded.folder / ASSIGNMENT, ignore_errors=True)


def open_tab(looking, command):
    looking.page.evaluate(f"() => {{ window.jupyterapp.commands.execute('nbgrader:{command}') }}")


def test_formgrader_grades_through_the_judge_and_gives_feedback(looking, graded):
    open_tab(looking, "open-formgrader")
    formgrader = looking.page.frame_locator("iframe")
    formgrader.locator("tr", has_text=ASSIGNMENT).locator(".num-submissions a").click(timeout=MINUTE)
    row = formgrader.locator("tr", has=formgrader.locator(".student-id", has_text="w04"))
    expect(row.locator(".score")).to_have_text("22 / 45", timeout=MINUTE)
    row.locator(".autograde a").click()
    told = formgrader.get_by_text(f"Successfully autograded '{ASSIGNMENT}' for student 'w04'.")
    told.wait_for(timeout=2 * MINUTE)
    looking.screenshot("nbgrader_autograde")
    formgrader.get_by_role("button", name="OK").click()
    expect(row.locator(".score")).to_have_text("22 / 45")
    row.locator(".generate-feedback a").click()
    formgrader.get_by_text(f"Successfully generated feedback for '{ASSIGNMENT}'").wait_for(timeout=MINUTE)
    assert POLICY in graded.feedback("w04")
    assert "22 of 23 tests passed, 9.56 of 10 points" in graded.feedback("w04")
    assert looking.errors == []
    assert looking.outside == []


def test_a_page_to_grade_by_hand_runs_nothing_of_the_students(looking, graded):
    with graded.gradebook() as gradebook:
        submission = gradebook.find_submission_notebook(ASSIGNMENT, ASSIGNMENT, "h01").id
    page = looking.page.context.browser.new_page()
    page.route(f"{MATHJAX}**", lambda route: route.abort())
    requested = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto(f"{looking.base}/formgrader/submissions/{submission}/?token={TOKEN}")
    answer = page.get_by_text("<script>document.title=1</script>")
    answer.wait_for(timeout=MINUTE)
    answer.scroll_into_view_if_needed()
    page.screenshot(path=SCREENSHOTS / "nbgrader_by_hand.png")
    assert page.title() == ASSIGNMENT
    expect(page.get_by_text("PASS: 23 of 23 tests passed, 10 of 10 points")).to_be_visible()
    outside = {url for url in requested if not url.startswith((looking.base, "data:"))}
    assert all(url.startswith(MATHJAX) for url in outside), outside
    page.close()


def test_a_student_fetches_and_validates(looking):
    page = looking.page
    open_tab(looking, "open-assignment-list")
    page.get_by_role("button", name="Fetch").click(timeout=MINUTE)
    page.locator("#fetched_assignments_list").get_by_text(ASSIGNMENT).first.wait_for(timeout=MINUTE)
    looking.screenshot("nbgrader_assignments")
    page.evaluate(
        "path => { window.jupyterapp.commands.execute('docmanager:open', { path }) }",
        f"{ASSIGNMENT}/{ASSIGNMENT}.ipynb",
    )
    page.locator(".validate-button").click(timeout=MINUTE)
    dialog = page.locator(".jp-Dialog", has_text="Validation Results")
    dialog.wait_for(timeout=3 * MINUTE)
    looking.screenshot("nbgrader_validate")
    expect(dialog).to_contain_text("NotImplementedError")
