"""LLM: the scripts of others run, and say what quire-cli says."""

import json
import math
import unittest

from quire import LLM, GuidedDecodingParams, SamplingParams, StructuredOutputsParams

from support import CHATS, PROMPTS, ModelTest, llm, run_cli

GREEDY = SamplingParams(temperature=0, max_tokens=12)


def tokens_of(outputs):
    return [output.outputs[0].token_ids for output in outputs]


class GenerateTest(ModelTest):
    def test_the_script_of_the_seed_documents(self) -> None:
        sampling_params = SamplingParams(temperature=0.8, top_p=0.95)
        outputs = llm().generate(PROMPTS, sampling_params, use_tqdm=False)
        self.assertEqual([output.prompt for output in outputs], PROMPTS)
        for output in outputs:
            answer = output.outputs[0]
            self.assertTrue(output.finished)
            self.assertIsInstance(answer.text, str)
            self.assertLessEqual(len(answer.token_ids), 16)
            self.assertIn(answer.finish_reason, ("stop", "length"))

    def test_same_tokens_as_the_command_line(self) -> None:
        for params, options in [
                (GREEDY, ["--temperature", "0"]),
                (SamplingParams(temperature=0.9, top_p=0.8, top_k=30, min_p=0.02, seed=11,
                                repetition_penalty=1.25, presence_penalty=0.25,
                                frequency_penalty=0.5, max_tokens=12),
                 ["--temperature", "0.9", "--top-p", "0.8", "--top-k", "30", "--min-p", "0.02",
                  "--seed", "11", "--repetition-penalty", "1.25", "--presence-penalty", "0.25",
                  "--frequency-penalty", "0.5"])]:
            outputs = llm().generate(PROMPTS[:3], params, use_tqdm=False)
            for output in outputs:
                [said] = run_cli("generate", "--prompt", output.prompt, "--max-tokens", "12",
                                 *options)
                self.assertEqual(output.outputs[0].token_ids, said["tokens"])
                self.assertEqual(output.outputs[0].text, said["text"])
                self.assertEqual(output.prompt_token_ids, said["prompt_tokens"])

    def test_chat_says_what_the_command_line_says(self) -> None:
        outputs = llm().chat(CHATS, GREEDY, use_tqdm=False)
        lines = "".join(json.dumps({"messages": chat}) + "\n" for chat in CHATS)
        said = run_cli("generate", "--messages", "-", "--temperature", "0", "--max-tokens", "12",
                       stdin=lines)
        self.assertEqual(tokens_of(outputs), [answer["tokens"] for answer in said])
        self.assertEqual([output.prompt_token_ids for output in outputs],
                         [answer["prompt_tokens"] for answer in said])

    def test_answer_does_not_depend_on_its_neighbours(self) -> None:
        params = SamplingParams(temperature=1.0, seed=3, max_tokens=12)
        together = llm().generate(PROMPTS, params, use_tqdm=False)
        alone = [llm().generate(prompt, params, use_tqdm=False)[0] for prompt in PROMPTS]
        self.assertEqual(tokens_of(together), tokens_of(alone))

    def test_forms_of_prompts(self) -> None:
        ids = llm().get_tokenizer().encode(PROMPTS[0])
        expected = tokens_of(llm().generate(PROMPTS[0], GREEDY, use_tqdm=False)) * 2
        for prompts in ([PROMPTS[0]] * 2, [{"prompt": PROMPTS[0]}, {"prompt_token_ids": ids}],
                        [ids, tuple(ids)]):
            self.assertEqual(tokens_of(llm().generate(prompts, GREEDY, use_tqdm=False)), expected)
        self.assertEqual(tokens_of(llm().generate(ids, GREEDY, use_tqdm=False)), expected[:1])
        self.assertEqual(llm().generate([], GREEDY, use_tqdm=False), [])

    def test_n_answers_use_seeds_that_count_up(self) -> None:
        [output] = llm().generate(PROMPTS[1], SamplingParams(n=3, seed=5, max_tokens=8),
                                  use_tqdm=False)
        self.assertEqual([answer.index for answer in output.outputs], [0, 1, 2])
        for answer in output.outputs:
            alone = llm().generate(
                PROMPTS[1], SamplingParams(seed=5 + answer.index, max_tokens=8), use_tqdm=False)
            self.assertEqual([answer.token_ids], tokens_of(alone))

    def test_best_of_returns_the_likeliest(self) -> None:
        def mean(answer):
            return answer.cumulative_logprob / len(answer.token_ids)

        params = SamplingParams(n=6, seed=2, max_tokens=8, logprobs=0, ignore_eos=True)
        [every] = llm().generate(PROMPTS[1], params, use_tqdm=False)
        params = SamplingParams(n=2, best_of=6, seed=2, max_tokens=8, ignore_eos=True)
        [best] = llm().generate(PROMPTS[1], params, use_tqdm=False)
        ranked = sorted(every.outputs, key=mean, reverse=True)
        self.assertEqual([answer.token_ids for answer in best.outputs],
                         [answer.token_ids for answer in ranked[:2]])
        self.assertEqual([answer.index for answer in best.outputs], [0, 1])
        self.assertIsNone(best.outputs[0].logprobs)

    def test_requests_without_a_seed_differ_but_can_be_repeated(self) -> None:
        def answers():
            with LLM(max_model_len=256, seed=7) as fresh:
                params = SamplingParams(max_tokens=8)
                return [tokens_of(fresh.generate(PROMPTS[1], params, use_tqdm=False))
                        for _ in range(3)]

        first, second = answers(), answers()
        self.assertEqual(first, second)
        self.assertGreater(len({str(tokens) for tokens in first}), 1)

    def test_a_list_of_sampling_params(self) -> None:
        params = [SamplingParams(temperature=0, max_tokens=count) for count in (2, 5)]
        outputs = llm().generate(PROMPTS[:2], params, use_tqdm=False)
        self.assertEqual([len(tokens) for tokens in tokens_of(outputs)], [2, 5])
        with self.assertRaisesRegex(ValueError, "sampling_params has 2 entries for 1 prompts"):
            llm().generate(PROMPTS[0], params, use_tqdm=False)

    def test_logprobs_are_those_of_the_model(self) -> None:
        params = SamplingParams(temperature=0, max_tokens=4, logprobs=2)
        [output] = llm().generate(PROMPTS[0], params, use_tqdm=False)
        answer = output.outputs[0]
        self.assertEqual(len(answer.logprobs), len(answer.token_ids))
        total = 0.0
        for token, entries in zip(answer.token_ids, answer.logprobs):
            self.assertEqual(len(entries), 2)
            self.assertEqual(entries[token].rank, 1)
            self.assertTrue(all(entry.logprob <= 0 for entry in entries.values()))
            total += entries[token].logprob
        self.assertTrue(math.isclose(total, answer.cumulative_logprob, rel_tol=1e-6))
        text = "".join(entries[token].decoded_token
                       for token, entries in zip(answer.token_ids, answer.logprobs))
        self.assertEqual(text, answer.text)

    def test_stop_string_and_token(self) -> None:
        [whole] = llm().generate(PROMPTS[1], GREEDY, use_tqdm=False)
        text = whole.outputs[0].text
        word = text.split()[2]
        before = text[:text.index(word)]
        for include, expected in ((False, before), (True, before + word)):
            params = SamplingParams(temperature=0, max_tokens=12, stop=[word],
                                    include_stop_str_in_output=include)
            answer = llm().generate(PROMPTS[1], params, use_tqdm=False)[0].outputs[0]
            self.assertEqual((answer.finish_reason, answer.stop_reason), ("stop", word))
            self.assertEqual(answer.text, expected)
        token = whole.outputs[0].token_ids[3]
        params = SamplingParams(temperature=0, max_tokens=12, stop_token_ids=[token])
        answer = llm().generate(PROMPTS[1], params, use_tqdm=False)[0].outputs[0]
        self.assertEqual((answer.finish_reason, answer.stop_reason), ("stop", token))
        self.assertNotIn(token, answer.token_ids)

    def test_min_tokens_hold_back_every_end(self) -> None:
        [whole] = llm().generate(PROMPTS[1], GREEDY, use_tqdm=False)
        token, text = whole.outputs[0].token_ids[0], whole.outputs[0].text
        for ends in ({"stop_token_ids": [token]}, {"stop": [text[:3]]}):
            ended = SamplingParams(temperature=0, max_tokens=12, **ends)
            self.assertEqual(llm().generate(PROMPTS[1], ended, use_tqdm=False)[0].outputs[0].text, "")
            ended.min_tokens = 9
            [alone] = llm().generate(PROMPTS[1], ended, use_tqdm=False)
            self.assertGreaterEqual(len(alone.outputs[0].token_ids), 9)
            together = llm().generate(PROMPTS, ended, use_tqdm=False)
            self.assertEqual(together[1].outputs[0].token_ids, alone.outputs[0].token_ids)

    def test_answers_in_json(self) -> None:
        schema = {"type": "object", "properties": {
            "colour": {"enum": ["red", "green"]}, "count": {"type": "integer", "minimum": 0, "maximum": 9}},
            "required": ["colour", "count"], "additionalProperties": False}
        params = SamplingParams(temperature=1.0, seed=4, n=2, max_tokens=120,
                                structured_outputs=StructuredOutputsParams(json=schema))
        together = llm().generate(PROMPTS, params, use_tqdm=False)
        for output in together:
            for answer in output.outputs:
                self.assertEqual(answer.finish_reason, "stop")
                said = json.loads(answer.text)
                self.assertEqual(sorted(said), ["colour", "count"])
                self.assertIn(said["colour"], ("red", "green"))
        [alone] = llm().generate(PROMPTS[3], params, use_tqdm=False)
        self.assertEqual([answer.token_ids for answer in alone.outputs],
                         [answer.token_ids for answer in together[3].outputs])
        params = SamplingParams(guided_decoding=GuidedDecodingParams(json_object=True))
        [output] = llm().chat(CHATS[0], params, use_tqdm=False)
        self.assertTrue(output.outputs[0].text.lstrip().startswith("{"))
        params = SamplingParams(structured_outputs=StructuredOutputsParams(json={"not": {}}))
        with self.assertRaisesRegex(ValueError, "not"):
            llm().generate(PROMPTS[0], params, use_tqdm=False)
        self.assertEqual(llm().stats()["running"] + llm().stats()["waiting"], 0)

    def test_answers_that_are_a_choice(self) -> None:
        choice = ["Paris", "Paris, France", "Köln", "{\"a\": 1}"]
        params = SamplingParams(temperature=2.0, seed=4, n=8, max_tokens=40,
                                structured_outputs=StructuredOutputsParams(choice=choice))
        together = llm().generate(PROMPTS, params, use_tqdm=False)
        said = [answer.text for output in together for answer in output.outputs]
        self.assertEqual(set(said) - set(choice), set())
        self.assertGreater(len(set(said)), 1)
        [alone] = llm().generate(PROMPTS[3], params, use_tqdm=False)
        self.assertEqual([answer.token_ids for answer in alone.outputs],
                         [answer.token_ids for answer in together[3].outputs])
        params = SamplingParams(structured_outputs=StructuredOutputsParams(choice=["a", "a"]))
        with self.assertRaisesRegex(ValueError, "choice has 'a' twice"):
            llm().generate(PROMPTS[0], params, use_tqdm=False)

    def test_text_can_be_left_out_or_have_special_tokens(self) -> None:
        params = SamplingParams(temperature=0, max_tokens=12, detokenize=False)
        answer = llm().generate(PROMPTS[0], params, use_tqdm=False)[0].outputs[0]
        self.assertEqual(answer.text, "")
        params = SamplingParams(temperature=0, max_tokens=12, skip_special_tokens=False)
        answer = llm().generate(PROMPTS[0], params, use_tqdm=False)[0].outputs[0]
        self.assertEqual(answer.text, llm().get_tokenizer().decode(answer.token_ids))

    def test_prompt_can_be_truncated(self) -> None:
        params = SamplingParams(temperature=0, max_tokens=2, truncate_prompt_tokens=3)
        [output] = llm().generate(PROMPTS[5], params, use_tqdm=False)
        self.assertEqual(output.prompt_token_ids, llm().get_tokenizer().encode(PROMPTS[5])[-3:])

    def test_second_turn_finds_the_first_in_the_cache(self) -> None:
        chat = [{"role": "user", "content": "Tell me a long story about a fox and a bird, with "
                 "many words, so that the prompt fills at least two blocks of the cache."}]
        [first] = llm().chat(chat, GREEDY, use_tqdm=False)
        chat += [{"role": "assistant", "content": first.outputs[0].text},
                 {"role": "user", "content": "Go on."}]
        [second] = llm().chat(chat, GREEDY, use_tqdm=False)
        self.assertGreaterEqual(second.num_cached_tokens, len(first.prompt_token_ids) - 16)
        self.assertGreater(second.metrics.first_token_time, second.metrics.arrival_time)
        self.assertGreaterEqual(second.metrics.finished_time, second.metrics.first_token_time)

    def test_default_params_are_the_models(self) -> None:
        params = llm().get_default_sampling_params()
        self.assertAlmostEqual(params.temperature, 0.4, places=6)
        self.assertAlmostEqual(params.top_p, 0.9, places=6)

    def test_progress_is_shown_with_what_is_given(self) -> None:
        shown = []

        class Bar:
            def __init__(self, **options):
                shown.append(options["total"])

            def update(self, count):
                shown.append(count)

            def close(self):
                shown.append("closed")

        llm().generate(PROMPTS[:3], GREEDY, use_tqdm=Bar)
        self.assertEqual(shown, [3, 1, 1, 1, "closed"])


class ChatTest(ModelTest):
    def test_messages_with_parts_tools_and_calls(self) -> None:
        chat = [{"role": "system", "content": "Be brief."},
                {"role": "user", "content": [{"type": "text", "text": "What is "},
                                             {"type": "text", "text": "2 plus 3?"}]},
                {"role": "assistant", "content": None, "tool_calls": [
                    {"id": "a", "type": "function",
                     "function": {"name": "add", "arguments": {"x": 2}}}]},
                {"role": "tool", "tool_call_id": "a", "name": "add", "content": "5"}]
        template = ("{% for m in messages %}({{ m.role }} {{ m.content }}"
                    "{% for call in m.tool_calls or [] %} {{ call.id }}={{ call.function.name }}:"
                    "{{ call.function.arguments.x }}{% endfor %}){% endfor %}"
                    "{{ tools[0].function.name }}")
        tools = [{"type": "function", "function": {"name": "add", "parameters": {}}}]
        for wrong, why in [
                ({}, "must be a list"), ("add", "must be a list"), ([3], r"tools\[0\] must be"),
                ([{"name": "add"}], r"tools\[0\] must be"), (tools * 2, "'add' twice"),
                ([{"type": "code", "function": {"name": "a"}}], r"tools\[0\] must be"),
                (tools + [{"function": {"name": ""}}], r"tools\[1\] needs a function with a name"),
                ([{"function": {"name": "a", "parameters": "x"}}], "parameters of the tool 'a'")]:
            with self.subTest(tools=str(wrong)):
                with self.assertRaisesRegex(ValueError, why):
                    llm().chat(chat, GREEDY, use_tqdm=False, chat_template=template, tools=wrong)
        with self.assertRaisesRegex(ValueError, "chat_template_kwargs must be"):
            llm().chat(chat, GREEDY, use_tqdm=False, chat_template_kwargs=["a"])
        [output] = llm().chat(chat, GREEDY, use_tqdm=False, chat_template=template, tools=tools)
        self.assertEqual(output.prompt, "(system Be brief.)(user What is 2 plus 3?)"
                         "(assistant  a=add:2)(tool 5)add")

    def test_answer_can_be_continued(self) -> None:
        chat = CHATS[0] + [{"role": "assistant", "content": "The capital"}]
        [output] = llm().chat(chat, GREEDY, use_tqdm=False, add_generation_prompt=False,
                              continue_final_message=True)
        self.assertTrue(output.prompt.endswith("The capital"))
        with self.assertRaisesRegex(ValueError, "add_generation_prompt=False"):
            llm().chat(chat, GREEDY, use_tqdm=False, continue_final_message=True)

    def test_template_of_the_caller(self) -> None:
        [output] = llm().chat(CHATS[1], GREEDY, use_tqdm=False, chat_template=(
            "{% for message in messages %}<{{ message.content }}>{% endfor %}{{ mood }}"),
            chat_template_kwargs={"mood": "calm"})
        self.assertEqual(output.prompt, "<Hello!>calm")

    def test_wrong_chats_are_errors(self) -> None:
        for chat, why in [
                ([], "no messages"), ("Hello!", "list of messages"), (3, "list of messages"),
                ([{"content": "x"}], "no role"),
                ([{"role": "user", "content": 3}], "content must be"),
                ([{"role": "user"}], "no content"), ([{"role": "system", "content": None}], "no content"),
                ([{"role": "assistant", "tool_calls": []}], "no content"),
                ([{"role": "user", "content": "x", "audio": {}}], "'audio', which is not supported"),
                ([{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}],
                 "'image_url'; only text"),
                ([{"role": "user", "content": "\udc00"}], "not Unicode")]:
            with self.subTest(chat=str(chat).encode("ascii", "replace")):
                with self.assertRaisesRegex(ValueError, why):
                    llm().chat([chat] if chat == [] else chat, GREEDY, use_tqdm=False)
        with self.assertRaisesRegex(ValueError, "cannot be written as JSON"):
            llm().chat(CHATS[0], GREEDY, use_tqdm=False, chat_template_kwargs={"x": object()})
        with self.assertRaisesRegex(ValueError, "messages"):
            llm().chat(CHATS[0], GREEDY, use_tqdm=False, chat_template_kwargs={"messages": []})


class EmbedTest(ModelTest):
    def test_vectors_are_those_of_the_command_line(self) -> None:
        outputs = llm().embed(PROMPTS[:3], use_tqdm=False)
        [said] = run_cli("embed", *PROMPTS[:3])
        for output, entry in zip(outputs, said["embeddings"]):
            self.assertEqual(len(output.prompt_token_ids), entry["tokens"])
            for mine, theirs in zip(output.outputs.embedding, entry["embedding"], strict=True):
                self.assertTrue(math.isclose(mine, theirs, rel_tol=1e-5, abs_tol=1e-7))

    def test_many_texts_keep_their_order(self) -> None:
        texts = PROMPTS * 6
        outputs = llm().embed(texts, use_tqdm=False)
        again = llm().embed(texts[-1], use_tqdm=False)
        self.assertEqual(outputs[-1].outputs.embedding, again[0].outputs.embedding)
        self.assertAlmostEqual(sum(x * x for x in outputs[0].outputs.embedding), 1.0, places=4)


class TokenizerTest(ModelTest):
    def test_round_trip(self) -> None:
        tokenizer = llm().get_tokenizer()
        ids = tokenizer.encode("Hello, world!")
        self.assertEqual(tokenizer.decode(ids, skip_special_tokens=True), "Hello, world!")
        self.assertEqual(ids[0], tokenizer.bos_token_id)
        self.assertEqual(tokenizer.encode("Hello, world!", add_special_tokens=False), ids[1:])
        self.assertEqual(len(tokenizer), 4096)
        self.assertEqual(len(tokenizer.convert_ids_to_tokens(ids)), len(ids))

    def test_chat_template(self) -> None:
        tokenizer = llm().get_tokenizer()
        ids = tokenizer.apply_chat_template(CHATS[0], add_generation_prompt=True)
        [output] = llm().chat(CHATS[0], GREEDY, use_tqdm=False)
        self.assertEqual(ids, output.prompt_token_ids)
        text = tokenizer.apply_chat_template(CHATS[0], add_generation_prompt=True, tokenize=False)
        self.assertEqual(tokenizer.encode(text), ids)

    def test_wrong_ids_are_errors(self) -> None:
        tokenizer = llm().get_tokenizer()
        for ids in ([4096], [-1], ["x"], "abc", [2**40]):
            with self.assertRaises(ValueError):
                tokenizer.decode(ids)
        with self.assertRaises(ValueError):
            tokenizer.encode(3)


if __name__ == "__main__":
    unittest.main()
