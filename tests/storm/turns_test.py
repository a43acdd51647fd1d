# SPDX-License-Identifier: Apache-2.0
"""The division of a hardening run's time among its fuzzers, tested on fuzzers with known rates."""
import sys
import types
import unittest

from fuzzers import GOAL, LEAST_TURN_S, Turns


class Reader:
    """Reads a fixed number of inputs per second."""

    def __init__(self, rate, before=0):
        self.rate, self.before = rate, before
        self.inputs, self.seconds, self.turns, self.longest = 0, 0.0, 0, 0.0

    def wants(self):
        return max(0, GOAL - self.before - self.inputs)

    def seconds_to_goal(self):
        return self.wants() * self.seconds / max(1, self.inputs)

    def turn(self, seconds):
        took = min(seconds, self.wants() / self.rate) if self.wants() else seconds
        self.turns += 1
        self.inputs += round(took * self.rate)
        self.seconds += took
        self.longest = max(self.longest, took)
        return took


def divide(readers, seconds):
    """Acts like one lane."""
    clock = types.SimpleNamespace(left_s=seconds)
    turns = Turns(readers, types.SimpleNamespace(left=lambda: clock.left_s, arguments=types.SimpleNamespace(jobs=1)))
    while clock.left_s > 1:
        mine, share = turns.take()
        clock.left_s -= max(0.1, mine.turn(share))
        turns.waiting.append(mine)
    return readers


class TurnsTest(unittest.TestCase):
    def test_finished_fuzzers_leave_time_to_slow_ones(self):
        quick = [Reader(20_000) for _ in range(10)]
        slow = [Reader(100), Reader(200)]
        divide(quick + slow, 2000)
        self.assertEqual([each.wants() for each in quick], [0] * 10)
        # 10 x 50 s of 2,000: the slow ones share the rest equally.
        for each in slow:
            self.assertGreater(each.seconds, 600)

    def test_each_fuzzer_gets_a_turn(self):
        readers = divide([Reader(10) for _ in range(20)], 300)
        self.assertTrue(all(each.turns >= 1 and each.inputs > 0 for each in readers))

    def test_long_turns_seldom_reread_the_corpus(self):
        readers = divide([Reader(100) for _ in range(20)], 6000)
        self.assertLessEqual(max(each.turns for each in readers), 2)
        self.assertGreater(min(each.longest for each in readers), 5 * LEAST_TURN_S)

    def test_fuzzers_beyond_their_share_wait(self):
        done, other = Reader(1000, before=GOAL), Reader(1000)
        divide([done, other], 500)
        self.assertLess(done.seconds, 60)
        self.assertGreater(other.seconds, 400)

    def test_fuzzers_all_beyond_their_share_take_turns(self):
        readers = divide([Reader(1000, before=GOAL) for _ in range(3)], 600)
        self.assertGreater(min(each.seconds for each in readers), 150)


if __name__ == "__main__":
    sys.exit(unittest.main())
