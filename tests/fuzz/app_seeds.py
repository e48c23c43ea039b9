"""What fuzzing starts from for the parts of the application: answers, formulas, exported chats, changed databases."""
import json
import struct


def markdown():
    for text in (
            "# Head\n\nSome **bold** and *it* `code` ~~x~~ [a](https://e.org \"t\") ![i](x.png)\n\n- one\n  - two\n    1. three\n- [x] task\n",
            "> quote\n> - item\n> ```c\n> int x; // y\n> ```\n\n| a | b |\n|:--|--:|\n| 1 | x\\|y |\n| `z` | $x^2$ |\n",
            "```python\ndef f(x):\n  \"\"\"doc\"\"\"\n  return \"s\" + 1.5e3 # c\n```\n\n~~~~html\n<a href='x'>&amp;</a><!-- c -->\n~~~~\n",
            "<think>so\n\nthis</think>The answer is $\\frac{a}{b}$ and\n\n$$\n\\begin{bmatrix} a & b \\\\ c & d \\end{bmatrix}\n$$\n\n\\[ x_{n+1} \\]\n",
            "text [ref][a] and [b]\n\n[a]: https://e.org 'T'\n[b]: <javascript:alert(1)>\n\n<img src=x onerror=y> &lt;b&gt; &#x202e; &nbsp;\n***\n<https://a.b> www.x.org\n",
            "안녕 **하세요**\n\n1. 하나\n2. 둘\n\n한글*강조*입니다 😀 e\u0301\n",
            "a\n===\nb\n---\n    indented\n\tcode\n\n* a\n\n\n  b\n10) c\n" + "> " * 30 + "deep\n" + "- " * 30 + "deep\n"):
        yield text.encode()


def math():
    for text in (r"\frac{a+b}{\sqrt[3]{x}}", r"\sum_{i=0}^{n} x_i^{2k+1} \leq \int_0^\infty e^{-x}\,dx",
                 r"\overline{\overline{\hat{x}}} \vec v", r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
                 r"\begin{cases} x & x > 0 \\ -x & \text{else} \end{cases}", r"\left( \mathbb{R} \to \mathcal{F} \right)_{\alpha\beta}",
                 r"\operatorname{argmax} \binom{n}{k} \pmod 7 \not= \mathrm{d}x", r"x'^{''} _{a_{b_{c}}}"):
        yield text.encode()


def exports():
    """docs/export.md"""
    question = {"id": 101, "parent": 0, "role": "user", "status": 0, "created_ms": 1700000000101, "parts": [
        {"kind": "text", "text": "Question"},
        {"kind": "attachment", "text": "a,b", "properties": {"name": "t.csv", "media_type": "text/csv", "bytes": 3, "tokens": 2}}]}
    answer = {"id": 102, "parent": 101, "role": "assistant", "status": 0, "created_ms": 1700000000102, "tokens": [1, 2, 3],
              "parts": [{"kind": "text", "text": "Answer"}], "model": "m", "seed": 7, "temperature": 0.5, "output_tokens": 3,
              "origin": {"template_hash": "aa", "sampling": {"temperature": 0.5, "stop": ["x"]}, "end": 0, "device": "cpu",
                         "prompt_base": 0, "prompt_shared": 0, "prompt_rest": [1, 2]}}
    chat = {"id": 100, "title": "Chat", "persona": 1, "folder": 2, "head": 102, "created_ms": 1700000000100, "active_ms": 1700000000200,
            "settings": {"temperature": 0.7, "stop": ["###"]}, "draft": "half", "messages": [question, answer],
            "draft_files": [{"name": "t.csv", "media_type": "text/csv", "bytes": 3, "text": "a,b", "tokens": 2}],
            "compared": [{"message": 102, "label": "A"}]}
    fork = dict(chat, id=200, forked_from=101, created_ms=1700000000300, messages=[dict(question, id=201)], head=201, compared=[])
    everything = {"format": "quire-export", "version": 2, "personas": [{"id": 1, "name": "P", "system_prompt": "Be.", "settings": {}}],
                  "folders": [{"id": 2, "name": "F", "position": 0}], "models": [{"path": "/m.gguf", "max_context": 4096}],
                  "settings": {"language": "ko"}, "chats": [chat, fork]}
    yield json.dumps(everything).encode()
    yield json.dumps({"format": "quire-export", "version": 2, "chats": [dict(chat, compared=[], persona=0)]}).encode()
    old = {"id": 101, "role": "user", "text": "Q", "attachments": [{"name": "n", "text": "t"}]}
    yield json.dumps({"version": 1, "format": "quire-export", "chats": [{"id": 100, "messages": [old]}]}).encode()
    yield "# A chat\n\n2026-11-24\n\n## You\n\nHello\n\n```\n## You\n```\n\n## Answer (m)\n\nHi \\## You\n\n# Next\n\n2026-11-25\n\n## You\n\nx\n".encode()
    yield "# A chat\n\n2026-11-24\n\n## You\n\nAttached: t.csv\n\n```\na,b\n```\n\nRead it.\n\n## Answer\n\nDone.\n".encode()


def patch(offset, content):
    return struct.pack("<IB", offset, len(content)) + content


def store():
    """Each use of the file, with another place changed: the header, the first pages, the whole."""
    for use in range(4):
        yield bytes([use])
        for offset in (16, 18, 28, 52, 68, 100, 4096, 8200, 40000):
            yield bytes([use]) + patch(offset, b"\xff\x00\x7f")


def prefix():
    yield b""
    for offset in (16, 18, 28, 52, 68, 100, 16384, 16500, 32768, 50000):
        yield patch(offset, b"\x01\xff") + patch(offset + 100, bytes(8))


def http():
    """Requests that are taken, and those that another server might read in another way."""
    get, post = "GET /v1/models?a=b HTTP/1.1\r\nHost: localhost:8000\r\n", "POST /v1/chat HTTP/1.1\r\nHost: [::1]\r\n"
    chunks = "3;a=b\r\nabc\r\n0A\r\n0123456789\r\n0\r\nX-Trailer: y\r\n\r\n"
    for text in (
            get + "\r\n" + get + "Connection: close\r\n\r\n",
            get + "Authorization: Bearer the-right-key\r\nOrigin: https://a.example\r\nSec-Fetch-Site: cross-site\r\n\r\n",
            post + "Content-Length: 5\r\nExpect: 100-continue\r\nx-api-key: the-right-key\r\n\r\nhello\r\n" + get + "\r\n",
            post + "Transfer-Encoding: chunked\r\n\r\n" + chunks + get + "\r\n",
            post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks,
            post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
            post + "X: y\r\n folded\r\n\r\n", post + "Transfer-Encoding : chunked\n\n0\n\n",
            "OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: null\r\nAccess-Control-Request-Method: POST\r\n\r\n",
            "HEAD /%ED%95%9C%20%2e HTTP/1.0\r\nConnection: keep-alive, x\r\nContent-Encoding: identity\r\n\r\n",
            "PUT http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET /\r\n"):
        yield text.encode()
