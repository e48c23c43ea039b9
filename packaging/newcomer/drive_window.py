#!/usr/bin/env python3
"""drive_window.py PROGRAM PROMPT FOLDER: from the start of Quire's window to the answer of a downloaded model.

Runs in a session with a D-Bus, a display and an accessibility bus (newcomer.sh). It finds buttons by the names that a
screen reader speaks, asks where they are, and clicks there. Prints a line for each step, with its seconds, and puts
a picture of the display of each into FOLDER. Ends with 1 where a step does not come to its end within a minute.
"""
import pathlib
import sqlite3
import subprocess
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

LIMIT_S = 60
DATABASE = pathlib.Path.home() / ".local/share/quire/quire.db"
ANSWERS = """SELECT model_name, payload FROM message JOIN message_part ON message_id = message.id
  WHERE role = 'assistant' AND status = 0 AND payload <> '' ORDER BY message.id DESC"""


class Window:
    """What the accessibility bus says of the program's window."""

    def __init__(self, process):
        self.process = process

    def items(self):
        """All items that are on the screen, each with its name."""
        desktop = Atspi.get_desktop(0)
        waiting = [desktop.get_child_at_index(i) for i in range(desktop.get_child_count())]
        while waiting:
            item = waiting.pop()
            try:
                name = item.get_name()
                states = item.get_state_set()
                if states.contains(Atspi.StateType.SHOWING) and name:
                    yield name, item, states
                waiting += [item.get_child_at_index(i) for i in range(item.get_child_count())]
            except (AttributeError, GLib.Error):
                continue  # It went away meanwhile.

    def find(self, is_wanted):
        """The first item whose name is wanted, or None."""
        return next(((name, item) for name, item, _ in self.items() if is_wanted(name)), None)

    def names(self):
        return sorted({name for name, _, _ in self.items()})

    def wait(self, is_wanted):
        """As soon as there is such an item: its name and the item."""
        return wait_for(lambda: self.find(is_wanted), self)

    def press(self, is_wanted):
        """Clicks where the button of that name says that it is; the name."""

        def button():
            for name, item, states in self.items():
                if is_wanted(name) and Atspi.Accessible.get_action_iface(item) and states.contains(Atspi.StateType.ENABLED):
                    return name, item
            return None

        name, item = wait_for(button, self)
        box = Atspi.Component.get_extents(item, Atspi.CoordType.SCREEN)
        at = [str(box.x + box.width // 2), str(box.y + box.height // 2)]
        subprocess.run(["xdotool", "mousemove", *at, "sleep", "0.3", "mousedown", "1", "sleep", "0.1", "mouseup", "1"], check=True)
        return name


def wait_for(found, window):
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        if window.process.poll() is not None:
            raise SystemExit("the program ended with %s" % window.process.returncode)
        result = found()
        if result:
            return result
        time.sleep(0.1)
    picture("failed")
    raise SystemExit("nothing came within %s s; the window has: %s" % (LIMIT_S, "; ".join(window.names())))


def names_above(item):
    """The names of what an item is in, from the inside out."""
    names = []
    while item:
        item = item.get_parent()
        if item and item.get_name():
            names.append(item.get_name())
    return names


def picture(name):
    subprocess.run(["scrot", "-o", str(pathlib.Path(sys.argv[3]) / (name + ".png"))], check=False)


def answer_of_model():
    """The newest whole answer in the store, as (model, text)."""
    if not DATABASE.is_file():
        return None
    with sqlite3.connect("file:%s?mode=ro" % DATABASE, uri=True) as store:
        return store.execute(ANSWERS).fetchone()


class Path:
    """The steps, with the seconds of each: what the program took, without the picture."""

    def __init__(self):
        self.number = 0
        self.total = 0.0

    def step(self, what, act):
        began = time.monotonic()
        said = act()
        seconds = time.monotonic() - began
        self.number += 1
        self.total += seconds
        print("step %d: %s: %.1f s%s" % (self.number, what, seconds, ": " + said if isinstance(said, str) else ""), flush=True)
        time.sleep(0.5)  # The window's animations end.
        picture("%d-%s" % (self.number, what.replace(" ", "-")))
        return said


def is_exactly(name):
    return lambda other: other == name


def begins(text):
    return lambda other: other.startswith(text)


def offers_download(name):
    return name.endswith(": Download") or name.startswith("Download ")


def show_offers(window):
    window.press(is_exactly("Show models to download"))
    return window.wait(offers_download)[0]


def download(window):
    name = [name for name in window.names() if offers_download(name)][0]
    window.press(is_exactly(name))
    window.wait(lambda other: other == "Downloading" or other.endswith(": Pause"))
    picture("3-while-it-downloads")
    window.wait(lambda other: other == "On this computer" or other.endswith(": Start chatting"))
    return name


def use_at_once(window):
    """Where the card of the downloaded model starts a chat with it; False where it has to be loaded on the Models page."""
    if not window.find(lambda name: name.endswith(": Start chatting")):
        return False
    window.press(lambda name: name.endswith(": Start chatting"))
    window.wait(is_exactly("Your message"))
    return True


def show_models(window):
    window.press(begins("Start one chat"))
    window.press(is_exactly("Models"))
    window.wait(is_exactly("Load"))


def load(window):
    """The demonstration model is in use before; afterwards only the downloaded one is."""

    def card():
        found = window.find(is_exactly("In use"))
        above = names_above(found[1]) if found else []
        return next((name for name in above if "-Q" in name or "-MXFP4" in name), None)

    window.press(is_exactly("Load"))
    name = wait_for(card, window)
    window.press(is_exactly("New chat"))
    window.wait(is_exactly("Your message"))
    return name


def ask(window, prompt):
    subprocess.run(["xdotool", "type", "--delay", "30", prompt], check=True)
    subprocess.run(["xdotool", "key", "Return"], check=True)
    model, text = wait_for(answer_of_model, window)
    return "%s says: %s" % (model, text.strip())


def main():
    program, prompt = sys.argv[1:3]
    window = Window(subprocess.Popen([program]))
    path = Path()
    try:
        path.step("the window is open", lambda: window.wait(is_exactly("Welcome to Quire"))[0])
        path.step("models are offered", lambda: show_offers(window))
        path.step("a model is downloaded", lambda: download(window))
        if not path.step("a chat with it", lambda: use_at_once(window)):
            path.step("the models page", lambda: show_models(window))
            path.step("the model is loaded", lambda: load(window))
        path.step("the first answer", lambda: ask(window, prompt))
        print("from the start of the program: %.1f s" % path.total)
    finally:
        window.process.terminate()
        window.process.wait(LIMIT_S)


if __name__ == "__main__":
    main()
