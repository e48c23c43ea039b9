"""AsyncLLM: streams that grow, requests side by side, and their ends."""

import asyncio
import functools
import unittest

from quire import AsyncLLM, EngineArgs, QuireError, RequestOutputKind, SamplingParams

from support import CHATS, PROMPTS, ModelTest, llm

GREEDY = SamplingParams(temperature=0, max_tokens=12)


@functools.lru_cache(maxsize=None)
def engine() -> AsyncLLM:
    """One engine for all event loops, which come and go."""
    return AsyncLLM.from_engine_args(EngineArgs(max_model_len=512, num_threads=1))


async def last_of(stream):
    output = None
    async for output in stream:
        pass
    return output


async def until_idle() -> None:
    """Fails after a while if requests stay."""
    for _ in range(200):
        stats = engine().stats()
        if stats["running"] + stats["waiting"] == 0:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"requests stayed: {stats}")


class AsyncTest(ModelTest, unittest.IsolatedAsyncioTestCase):
    async def test_answers_grow_and_are_those_of_llm(self) -> None:
        params = SamplingParams(temperature=0, max_tokens=200, ignore_eos=True)
        [expected] = llm().generate(PROMPTS[0], params, use_tqdm=False)
        seen = []
        async for output in engine().generate(PROMPTS[0], params, request_id="mine"):
            self.assertEqual(output.request_id, "mine")
            seen.append(output.outputs[0])
        self.assertGreater(len(seen), 1)
        for before, after in zip(seen, seen[1:]):
            self.assertTrue(after.text.startswith(before.text))
            self.assertEqual(after.token_ids[:len(before.token_ids)], before.token_ids)
        self.assertEqual(seen[-1].token_ids, expected.outputs[0].token_ids)
        self.assertEqual(seen[-1].text, expected.outputs[0].text)
        self.assertEqual([output.finished() for output in seen].count(True), 1)

    async def test_deltas_add_up(self) -> None:
        params = SamplingParams(n=2, seed=4, max_tokens=12, logprobs=1,
                                output_kind=RequestOutputKind.DELTA)
        whole = llm().generate(PROMPTS[1], SamplingParams(n=2, seed=4, max_tokens=12),
                               use_tqdm=False)[0]
        texts, tokens, logprobs = ["", ""], [[], []], [[], []]
        async for output in engine().generate(PROMPTS[1], params):
            for answer in output.outputs:
                texts[answer.index] += answer.text
                tokens[answer.index] += answer.token_ids
                logprobs[answer.index] += answer.logprobs
        self.assertEqual(texts, [answer.text for answer in whole.outputs])
        self.assertEqual(tokens, [answer.token_ids for answer in whole.outputs])
        self.assertEqual([len(entries) for entries in logprobs],
                         [len(entries) for entries in tokens])

    async def test_final_only_comes_once(self) -> None:
        params = SamplingParams(temperature=0, max_tokens=12, best_of=2,
                                output_kind=RequestOutputKind.FINAL_ONLY)
        outputs = [output async for output in engine().generate(PROMPTS[0], params)]
        self.assertEqual([output.finished for output in outputs], [True])
        with self.assertRaisesRegex(ValueError, "best_of needs output_kind"):
            await last_of(engine().generate(PROMPTS[0], SamplingParams(best_of=2)))

    async def test_many_requests_at_once(self) -> None:
        expected = llm().generate(PROMPTS * 3, GREEDY, use_tqdm=False)
        outputs = await asyncio.gather(
            *(last_of(engine().generate(prompt, GREEDY)) for prompt in PROMPTS * 3))
        self.assertEqual([output.outputs[0].token_ids for output in outputs],
                         [output.outputs[0].token_ids for output in expected])

    async def test_chat_and_embed(self) -> None:
        [expected] = llm().chat(CHATS[0], GREEDY, use_tqdm=False)
        output = await last_of(engine().chat(CHATS[0], GREEDY))
        self.assertEqual(output.outputs[0].text, expected.outputs[0].text)
        vector = await engine().embed(PROMPTS[0])
        self.assertEqual(vector.outputs.embedding,
                         llm().embed(PROMPTS[0], use_tqdm=False)[0].outputs.embedding)

    async def test_cancelled_task_ends_its_request(self) -> None:
        params = SamplingParams(max_tokens=400, ignore_eos=True)
        task = asyncio.create_task(last_of(engine().generate(PROMPTS[0], params)))
        while engine().stats()["running"] == 0:
            await asyncio.sleep(0.005)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        before = engine().stats()["output_tokens"]
        await until_idle()
        self.assertLess(engine().stats()["output_tokens"] - before, 20)

    async def test_closed_iterator_ends_its_request(self) -> None:
        params = SamplingParams(max_tokens=400, ignore_eos=True)
        stream = engine().generate(PROMPTS[0], params)
        await anext(stream)
        await stream.aclose()
        before = engine().stats()["output_tokens"]
        await until_idle()
        self.assertLess(engine().stats()["output_tokens"] - before, 20)

    async def test_abort(self) -> None:
        params = SamplingParams(max_tokens=400, ignore_eos=True)
        stream = engine().generate(PROMPTS[0], params, request_id="long")
        await anext(stream)
        with self.assertRaisesRegex(ValueError, "'long' is in use"):
            await anext(engine().generate(PROMPTS[0], params, request_id="long"))
        await engine().abort("long")
        await engine().abort("unknown")
        output = await last_of(stream)
        self.assertEqual(output.outputs[0].finish_reason, "abort")
        self.assertLess(len(output.outputs[0].token_ids), 400)
        await until_idle()

    async def test_wrong_requests_are_errors(self) -> None:
        with self.assertRaisesRegex(ValueError, "context of 512"):
            await last_of(engine().generate("word " * 2000, GREEDY))
        with self.assertRaisesRegex(ValueError, "one chat"):
            engine().chat(CHATS, GREEDY)
        await until_idle()

    async def test_loop_is_left_as_it_was(self) -> None:
        await last_of(engine().generate(PROMPTS[0], GREEDY))
        self.assertEqual(engine()._inboxes, {})

    async def test_shutdown_ends_streams(self) -> None:
        other = AsyncLLM(max_model_len=512)
        stream = other.generate(PROMPTS[0], SamplingParams(max_tokens=400, ignore_eos=True))
        await anext(stream)
        other.shutdown()
        with self.assertRaisesRegex(QuireError, "shut down"):
            await last_of(stream)


if __name__ == "__main__":
    unittest.main()
