"""python3 tests/bench/peers/test_report.py"""

import unittest

import report


class Report(unittest.TestCase):
    def test_a_row_compares_medians(self):
        row = report.row("prefill_512", "Q4_0", [900, 1100, 10], [100, 1000, 180], isa="native")
        self.assertEqual((row["quire"], row["llama_cpp"]), (900, 180))
        self.assertEqual((row["ratio"], row["target"], row["holds"]), (5.0, 5.0, True))

    def test_decode_needs_its_share_of_the_limit_too(self):
        fast = report.row("decode_1", "Q8_0", [24.0], [20.0], isa="native", limit=25.0)
        self.assertTrue(fast["holds"])
        self.assertAlmostEqual(fast["share_of_limit"], 0.96)
        slow = report.row("decode_1", "Q8_0", [22.0], [11.0], isa="native", limit=25.0)
        self.assertFalse(slow["holds"])

    def test_targets_are_of_the_best_peer(self):
        self.assertAlmostEqual(report.target_ratio("decode_16", "Q4_0", "native"), 3 * 155 / 61)
        self.assertEqual(report.target_ratio("decode_16", "Q8_0", "native"), 3)
        self.assertIsNone(report.target_ratio("decode_4", "Q4_0", "native"))

    def test_on_equal_instructions_no_slower_is_enough(self):
        row = report.row("decode_1", "Q4_0", [20.0], [20.0], isa="avx2", limit=50.0)
        self.assertEqual((row["target"], row["holds"]), (1.0, True))
        self.assertFalse(report.row("decode_8", "Q4_0", [19.0], [20.0], isa="avx2")["holds"])

    def test_the_peer_is_taken_at_its_best(self):
        variants = {"plain": [10, 50, 12], "flash": [14, 13, 15]}
        self.assertEqual(report.best_variant(variants), "flash")

    def test_first_tokens_are_shares_of_a_cold_one(self):
        runs = [{"cold_ms": 1000, "warm_ms": 40, "restart_ms": 300},
                {"cold_ms": 1000, "warm_ms": 60, "restart_ms": 100},
                {"cold_ms": 2000, "warm_ms": 80, "restart_ms": 420}]
        warm, restart = report.first_token_rows(runs)
        self.assertEqual((warm["ratio"], warm["holds"]), (0.04, True))
        self.assertEqual((restart["ratio"], restart["holds"]), (0.21, False))

    def test_tables_say_what_is_missed(self):
        rows = [report.row("decode_1", "Q4_0", [20.0], [40.0], isa="native", limit=50.0),
                report.row("decode_4", "Q4_0", [20.0], [40.0], isa="native")]
        lines = report.table(rows).splitlines()
        self.assertRegex(lines[1], r"Q4_0 +20\.0 +40\.0 +0\.50 +1\.10 +50\.0 +40 +MISSED$")
        self.assertRegex(lines[2], r"Q4_0 +20\.0 +40\.0 +0\.50$")


if __name__ == "__main__":
    unittest.main()
