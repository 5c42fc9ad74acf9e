#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: dbus-run-session -- drive_window.py FOLDER

Operates the window of launch-examples with the files in FOLDER. Writes to FOLDER: recordings of the
audio output (*.f32: stereo, 32-bit floating point, 44,100 Hz), the exported files, and the texts
that the window showed (seen.json)."""

import json
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "launch-examples"))

from support import interpolations  # noqa: E402
from windowhand import Hand, display, until  # noqa: E402

INTERPOLATIONS = [name.capitalize() for name in interpolations()]
CHANNELS = ["All", "First", "Merged"]
FORMANTS = ["Follow", "Keep"]
LOOPS = ["None", "Repeat", "Ping-pong"]
TIME = r"\d+:\d\d\.\d / \d+:\d\d\.\d"
STRIP = 0.04  # the strip above the waveform, where markers are set; a fraction of the height


class Driver:
    def __init__(self, folder):
        self.folder, self.heard, self.seen, self.home = folder, folder / "heard", {}, folder / "home"
        sound = "audio/x-raw, format=F32LE, rate=44100, channels=2, layout=interleaved"
        # Unbuffered, so the file contains everything that was played so far. A seek empties it.
        sink = f"audioconvert ! {sound} ! filesink location={self.heard} sync=true buffer-mode=unbuffered"
        self.install_file_manager()
        self.hand = Hand(f"--sink={sink}", folder / "song.flac", home=self.home, size=(960, 1100))
        self.wave = self.hand.find("Waveform")
        self.hand.flip("Play the next file at the end")
        self.hand.switch("Keep pitch", False)
        until(self.heard.exists, "it is open")

    def run(self):
        self.open_files()
        self.play_either_way()
        self.play_and_write()
        self.loop()
        self.scrub_scaled()
        self.scrub()
        self.press_keys()
        self.use_rows()
        self.refuse()
        self.cancel()
        self.leave_while_writing()
        (self.folder / "seen.json").write_text(json.dumps(self.seen))

    # ---- building blocks ----

    def install_file_manager(self):
        """Installs a file manager. When the player asks to show a URI, the file manager writes the URI
        to the file `shown`."""
        program, applications = self.home / "manager", self.home / ".local/share/applications"
        applications.mkdir(parents=True)
        program.write_text(f'#!/bin/sh\nprintf %s "$1" >"{self.home}/shown.part"\nmv "{self.home}/shown.part" "{self.home}/shown"\n')
        program.chmod(0o755)
        entry = f"[Desktop Entry]\nType=Application\nName=Files\nMimeType=inode/directory\nExec={program} %u\n"
        (applications / "manager.desktop").write_text(entry)
        (self.home / ".config").mkdir()
        (self.home / ".config/mimeapps.list").write_text("[Default Applications]\ninode/directory=manager.desktop\n")

    def place(self):
        """Returns the position that the window shows, in seconds of the file."""
        minutes, seconds = self.hand.text(TIME).split(" / ")[0].split(":")
        return 60 * int(minutes) + float(seconds)

    def seek(self, part):
        """Seeks to a position, given as a fraction of the waveform. Earlier output is discarded."""
        self.hand.drag(self.wave, (part, 0.7))
        self.hand.release()
        until(lambda: self.heard.stat().st_size == 0, "it is there")

    def pause(self):
        self.hand.press("Pause")
        self.hand.find("Play", "push button")

    def hear(self, name):
        """Records the output from the beginning to the end. First opens the file again, so that
        changed settings apply from the first frame."""
        # The first label with this title is the heading above the list. The second label is in the
        # list.
        self.hand.click(self.hand.all("A title & more", "label")[1])
        until(lambda: self.heard.stat().st_size == 0, "nothing of it has been heard")
        self.hand.press("Play")
        self.hear_end("Play", name)

    def hear_end(self, button, name):
        """Waits until playback has ended: there is output, and `button` has its name for playing
        again. Saves the output."""
        until(lambda: self.heard.stat().st_size > 0 and self.hand.first(button, "push button"), "it plays, and ends")
        shutil.copy(self.heard, self.folder / f"{name}.f32")

    def export(self, name, button="Export the sound as it plays", title="Export"):
        """Exports a file. Returns the message that the window shows about it."""
        self.hand.press(button)
        self.hand.accept(title, self.folder / name)
        return self.hand.text(f"(.*[ /])?{name}.*[.]")

    def dismiss(self):
        """Closes the visible toast, so that the next one appears."""
        for button in self.hand.all("Dismiss.*|Close toast.*", "push button"):
            button.get_action_iface().do_action(0)

    # ---- the steps of the test ----

    def open_files(self):
        self.seen["heading"] = self.hand.text("A title & more"), self.hand.text("Somebody")
        for name in ("speech.wav", "short.aiff", "surround.flac", "long.flac"):
            self.hand.key("ctrl+o")
            self.hand.accept("Open", self.folder / name)
            self.hand.find(f"Play {name}", "push button")
        self.hand.drop([self.folder / "dropped one.flac", self.folder / "dropped"], "Play within.wav")
        self.seen["dropped"] = [name for name in ("dropped one.flac", "within.wav") if self.hand.all(f"Play {name}", "push button")]
        self.seen["names"] = [node.get_name() for node in self.hand.all("(Play|Reverse|Scale) .*[.].*", "push button")]

    def play_either_way(self):
        self.hear("forward")
        self.hand.flip("Play backward")
        self.hear("backward")
        self.hand.flip("Play forward")

    def play_and_write(self):
        """For several settings, records the output of the player and exports a file."""
        hand = self.hand
        hand.set("Speed", 1.25)
        self.seen["lasts"] = hand.text("Lasts .*")
        hand.choose("Interpolation", INTERPOLATIONS, "Nearest")
        hand.choose("Channels", CHANNELS, "Merged")
        self.hear("single")
        self.export("single.wav")
        hand.choose("Channels", CHANNELS, "First")
        hand.choose("Interpolation", INTERPOLATIONS, "Sinc")
        hand.flip("Play backward")
        self.hear("first")
        self.export("first.wav")
        hand.flip("Play forward")
        hand.choose("Channels", CHANNELS, "All")
        hand.switch("Keep pitch", True)
        hand.choose("Formants", FORMANTS, "Keep")
        hand.set("Semitones", -3)
        self.hear("kept")
        self.export("kept.wav")
        hand.switch("Keep pitch", False)
        hand.choose("Formants", FORMANTS, "Follow")
        hand.set("Semitones", 0)
        hand.set("Speed slider", 0, "slider")
        until(lambda: hand.value("Speed", "spin button") == 1, "the slider moves the number")
        hand.set("Volume", 0.5, "slider")
        self.hear("half")
        hand.set("Volume", 1, "slider")

    def loop(self):
        hand = self.hand
        hand.drag(self.wave, (0.3, STRIP), (0.4, STRIP), (0.5, STRIP))
        hand.release()
        until(lambda: hand.chosen("Loop") == "Repeat", "markers loop")
        self.export("part.wav", title="Export from A to B")
        hand.drag(self.wave, (0.7, STRIP))  # a click removes the markers
        hand.release()
        hand.choose("Loop", LOOPS, "Repeat")

    def scrub(self):
        hand = self.hand
        hand.drag(self.wave, (0.1, 0.7), (0.5, 0.7), (0.8, 0.7))
        until(lambda: abs(self.place() - 4.0) < 0.15, "it follows the hand")
        until(self.is_heard_on_the_move, "it is heard")
        hand.release()
        until(lambda: self.heard.stat().st_size == 0 and hand.first("Play", "push button"), "it pauses as before")
        until(lambda: abs(self.place() - 4.0) < 0.05, "it stays where the hand has left it")

    def is_heard_on_the_move(self):
        """Moves the hand a little back and forth. A hand that was too fast for the source is silent:
        the window has sought the place where it rests."""
        self.hand.move(self.wave, (0.78, 0.7), (0.8, 0.7))
        return any(self.heard.read_bytes())

    def scrub_scaled(self):
        """Seeks in the waveform while a factor is set. Positions in the waveform are positions in
        the file, not in the scaled sound."""
        hand = self.hand
        hand.choose("Loop", LOOPS, "None")
        hand.set("Speed", 2)
        self.seek(0.5)
        hand.press("Play")
        self.hear_end("Play", "second half")
        hand.set("Speed", 1)
        hand.choose("Loop", LOOPS, "Repeat")

    def press_keys(self):
        hand = self.hand
        hand.key("Left")
        until(lambda: self.place() == 0, "Left goes back")
        hand.key("space")
        hand.find("Pause", "push button")
        hand.key("space")
        hand.find("Play", "push button")
        hand.key("Left", "space", *["period"] * 5)
        hand.find("Play", "push button")
        until(lambda: self.place() > 0.1, "a period steps, and pauses")
        hand.key("Right")
        until(lambda: self.place() > 4.9, "Right goes on")
        for name in ("backward", "forward"):
            hand.key("r")
            until(lambda name=name: hand.is_on(f"Play {name}"), f"R plays {name}")
        for name in (LOOPS[2], LOOPS[0]):
            hand.key("shift+l")
            until(lambda name=name: hand.chosen("Loop") == name, f"L loops {name}")
        self.shuttle()
        self.mark()
        hand.choose("Interpolation", INTERPOLATIONS, "Sinc")
        hand.key("Left")
        until(lambda: self.place() == 0, "Left goes back after a menu, too")

    def shuttle(self):
        hand = self.hand
        hand.key("Left")
        until(lambda: self.place() == 0, "it has the whole file before it")
        for key, speed in (("l", ""), ("l", "  × 2"), ("l", "  × 4"), ("j", "")):
            hand.key(key)
            hand.text(TIME + speed)
        until(lambda: hand.is_on("Play backward"), "J plays backward")
        hand.key("l", "k")
        hand.find("Play", "push button")
        hand.do("keydown", "k", "keydown", "l")
        hand.text(TIME + "  × 0.5")
        hand.find("Pause", "push button")
        hand.do("keyup", "l", "keyup", "k")
        hand.find("Play", "push button")
        hand.key("l", "k")

    def mark(self):
        """Sets both markers by keys, exports what is between them, types times of them, and removes
        them while the sound plays."""
        hand = self.hand
        self.seek(0.25)
        until(lambda: abs(self.place() - 1.25) < 0.1, "it is a quarter of the way")
        hand.key("a")
        until(lambda: hand.chosen("Loop") == "Repeat", "a marker loops")
        self.seek(0.5)
        until(lambda: abs(self.place() - 2.5) < 0.1, "it is in the middle")
        hand.key("b")
        self.export("marked.wav", title="Export from A to B")
        self.seen["markers"] = [self.type_time(*words) for words in (("A", "0:01.5"), ("B", "1.4"), ("A", "1.5"), ("B", "2.25"))]
        hand.enter("Marker A", "soon")
        self.seen["soon"] = hand.text("“soon” .*")
        self.play_out_of_the_markers()

    def type_time(self, name, time):
        """Types the time of a marker. Returns the times of both."""
        hand, marker = self.hand, f"Marker {name}"
        hand.enter(marker, time)
        until(lambda: hand.entered(marker)!= time, f"{name} is shown in milliseconds")
        return [hand.entered("Marker A"), hand.entered("Marker B")]

    def play_out_of_the_markers(self):
        hand, places = self.hand, []
        self.seek(0.4)
        hand.key("space")
        hand.find("Pause", "push button")
        until(self.escapes, "without markers, there is no loop")
        until(lambda: places.append(self.place()) or places[-1] > 3.5, "it plays on")
        self.seen["place"] = min(places)
        hand.key("space")
        hand.find("Play", "push button")

    def escapes(self):
        """Presses Escape, which first closes toasts. Returns whether it has ended the loop."""
        self.hand.key("Escape")
        return self.hand.chosen("Loop") == "None"

    def use_rows(self):
        hand = self.hand
        hand.set("Speed", 1.25)
        self.seen["reversed"] = self.export("song-reversed.flac", "Reverse A title & more")
        hand.press("Show folder.*")  # the name has more words than the label
        until((self.home / "shown").exists, "the file manager is asked")
        self.seen["folder"] = (self.home / "shown").read_text()
        self.seen["scaled"] = self.export("speech-scaled.wav", "Scale speech.wav")
        hand.find("Play speech-scaled.wav", "push button")  # the new file is in the list now
        hand.set("Speed", 1)
        self.heard.write_bytes(b"")
        hand.press("Play short.aiff")
        self.hear_end("Play short.aiff", "aiff")
        hand.key("Delete")
        until(lambda: not hand.all("Play short.aiff", "push button"), "it leaves the list")

    def refuse(self):
        """Records the messages about files that the window refuses to open or to overwrite."""
        refusals = self.seen["refusals"] = {}
        self.hand.press("Play A title & more")  # opens the file
        self.hand.text("Somebody")
        for name in ("song.flac", "symbolic.flac", "hard.flac"):
            refusals[name] = self.export(name, "Scale A title & more")
        refusals["song.xyz"] = self.export("song.xyz")
        self.hand.key("ctrl+o")
        self.hand.accept("Open", self.folder / "text.wav")
        refusals["text.wav"] = self.hand.text("text.wav: .*")
        for name in ("private.wav", "link.wav"):
            self.export(name)
        self.play_what_is_cut()

    def play_what_is_cut(self):
        """The header of the file says 5.0 s."""
        hand = self.hand
        hand.key("ctrl+o")
        hand.accept("Open", self.folder / "cut.flac")
        self.dismiss()
        hand.press("Play cut.flac")
        self.seen["cut"] = [hand.text("cut.flac: .*")]
        until(lambda: "0:05.0" not in hand.text(TIME), "it shows how much there is")
        self.seen["cut"].append(hand.text(TIME).split(" / ")[1])
        hand.find("Play cut.flac", "push button")
        hand.flip("Play backward")
        hand.press("Play cut.flac")
        until(lambda: self.place() < 0.5 and hand.first("Play cut.flac", "push button"), "it plays to its beginning")
        self.seen["cut"] += [label.get_name() for label in hand.all("cut.flac: .*", "label")]
        hand.flip("Play forward")

    def cancel(self):
        hand = self.hand
        hand.press("Play long.flac")
        hand.find("Pause long.flac", "push button")
        self.pause()
        hand.switch("Keep pitch", True)
        hand.set("Speed", 0.1)
        self.begin("cancelled.flac")
        until(lambda: hand.value("Writing cancelled.flac", "progress bar") > 0, "it shows how far it is")
        hand.press("Cancel")
        until(lambda: not hand.all("Writing .*", "progress bar"), "it stops")

    def begin(self, name):
        self.hand.press("Export the sound as it plays")
        self.hand.accept("Export", self.folder / name)
        self.hand.find(f"Writing {name}", "progress bar")

    def leave_while_writing(self):
        self.begin("left.flac")
        self.hand.close()
        self.seen["status"] = self.hand.process.returncode
        until(lambda: not at_work(self.folder), "the tool has ended")


def at_work(folder):
    """Whether the command line of another process contains left.flac of this folder."""
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if line.parent.name != str(os.getpid()) and f"{folder}/left.flac".encode() in line.read_bytes():
                return True
        except OSError:
            pass
    return False


if __name__ == "__main__":
    with display():
        Driver(Path(sys.argv[1]).resolve()).run()
