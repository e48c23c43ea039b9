"""Writes tests/data/templates/cases.json: small templates, one language feature each, with what
Jinja2 renders in the environment that Hugging Face transformers gives chat templates.

    python3 tests/scripts/make_template_cases.py > tests/data/templates/cases.json

Needs jinja2 3.1.6. The environment is transformers' own (_cached_compile_jinja_template), with the
time fixed at 2026-11-20 12:00:00.
"""
import datetime
import json
import sys

import jinja2
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

INPUT = {
    "messages": [
        {"role": "system", "content": "Be brief. "},
        {"role": "user", "content": "  Hi <b>there</b> & \"you\"\n"},
        {"role": "assistant", "content": "<think>hm</think>Ünïcödé ß 안녕 🦙", "n": 3},
    ],
    "tools": [{"name": "f", "args": {"b": 1, "a": [1, 2.5, None, True]}, "tags": ["x", "Y", "z"]}],
    "users": [{"name": "bob", "age": 30, "city": {"zip": "2"}}, {"name": "Ann", "age": 25, "city": {"zip": "1"}},
              {"name": "cy", "age": 30, "city": {"zip": "3"}}],
    "text": "The quick  brown fox\njumps, over\tthe lazy dog",
    "empty": [], "nothing": None, "yes": True, "no": False, "n": 7, "f": 2.5, "bos_token": "<s>",
}

CASES = {
    "whitespace": [
        "a\n{% if true %}\nb\n{% endif %}\nc\n", "a  {%- if true -%}  b  {%- endif -%}  c",
        "x\n   {% if true %}y{% endif %}   \nz", "x\n   {%+ if true %}y{% endif +%}\nz", "  {{ n }}\n  {{- n -}}  \n z",
        "{# c #}\na\n  {# c #}\nb{#- c -#} c",
        "a\n\n", "a\r\nb\rc\n", "{{ 1 }}\n{{ 2 }}", "   {% set x = 1 %}   {{ x }}", "\n  {%- set x = 1 %}\n{{ x }}",
        "{%- for i in [1,2] %}\n  {{ i }}\n{%- endfor %}\n", "\t{% if true %}\ty\t{% endif %}\t", "{# a #}\n\n{# b #}\nx",
        "{{ '{{' }}{{ '%}' }}{{ \"}}\" }}", "{%- if true +%}\nx{% endif %}", "a{#+ c +#}\nb",
    ],
    "literals": [
        "{{ 'a\\n\\t\\'\\\\\\x41\\u00e9\\U0001F999\\q' }}", '{{ "a" \'b\' "c" }}',
        "{{ 1.5e3 }} {{ 1e-7 }} {{ 1.0 }} {{ 1e16 }} {{ 123456789012345680.0 }} {{ 0.1 }} {{ 1e22 }}",
        "{{ [1, 'a', none, true, 2.0, (1,), (), {}] }}", "{{ {'a': 1, 'b': [1, {'c': 'x'}], 3: none} }}",
        "{{ (1, 2) }} {{ 1, 2 }} {{ () }}", "{{ True }} {{ False }} {{ None }} {{ none }}", "{{ ['it\\'s', 'say \"hi\"', 'both\\'\"'] }}",
        "{{ ['tab\\t nl\\n é 안 🦙 \\x7f \\u200b \\x00'] }}", "{{ {'a': 1, 'a': 2} }}", "{{ {1: 'a', 1.0: 'b', true: 'c'} }}",
        "{{ -0.0 }} {{ 5e-324 }} {{ 1.7976931348623157e308 }}", "{{ 007 }}", "{{ 'open }}", "{{ {[1]: 2} }}", "{{ [1, 2,] }}{{ {'a': 1,} }}",
        "{{ 'line\\\nbreak' }}", "{{ 'bad \\x4' }}", "{{ 1.e3 }}", "{{ [1.0e2, 100000000000000000, 1e15] }}",
    ],
    "operators": [
        "{{ 1 + 2 * 3 - 4 / 2 }}", "{{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % 3 }} {{ -7 % 3 }} {{ 7.5 // 2 }} {{ -7.5 % 2 }}",
        "{{ 'a' ~ 1 ~ none ~ true ~ 2.0 ~ [1] }}", "{{ 'ab' * 3 }} {{ [1] * 2 }} {{ 2 * (1, 2) }}",
        "{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 1 == 1.0 == true }}", "{{ 'a' < 'b' }} {{ [1, 2] < [1, 3] }} {{ (1,) < (1, 0) }}", "{{ 1 < 'a' }}",
        "{{ 'a' + 1 }}", "{{ [1] + [2] }} {{ (1,) + (2,) }}", "{{ [1] + (2,) }}", "{{ 1 / 0 }}", "{{ 1 // 0 }}", "{{ 1 % 0 }}", "{{ not true or true and false }}",
        "{{ not 1 == 2 }}", "{{ 'x' in 'xyz' }} {{ 1 in [1] }} {{ 'a' in {'a': 1} }} {{ 'q' not in 'xyz' }}", "{{ 1 in 5 }}", "{{ 1 in 'abc' }}",
        "{{ 1 and 'x' }} {{ 0 or 'y' }} {{ '' or none }} {{ [] and 1 }}", "{{ -n }} {{ +n }} {{ -f }} {{ - -n }} {{ -true }}", "{{ -'a' }}",
        "{{ 'a' if n > 3 else 'b' }} {{ 'a' if n > 30 else 'b' }}[{{ 'a' if false }}]", "{{ 1 if false else 2 if false else 3 }}",
        "{{ true + true }} {{ true * 3 }} {{ 5 - true }}",
        "{{ '%s %s' % (1,) }}", "{{ 'a' % 1 }}",
        "{{ 1 == '1' }} {{ none == false }} {{ [] == () }} {{ {} == {} }}",
        "{{ {'a': 1, 'b': 2} == {'b': 2, 'a': 1} }}", "{{ 1 != 2 }} {{ 2 >= 2 }} {{ 2 <= 1 }}", "{{ 'é' < 'z' }} {{ '안' > 'z' }}", "{{ 1 + 2 ~ 3 + 4 }}", "{{ 2 * 3 ~ 4 * 5 }}", "{{ 1.1 + 2.2 }} {{ 10 / 4 }} {{ 4 / 2 }}",
        "{{ none < 1 }}", "{{ -1 | abs }} {{ -1.5 | abs }}", "{{ 'a' 'b' in ['ab'] }}", "{{ '%d' % 'x' }}",
        "{{ 1 < 2 and 2 < 3 or x.y.z }}", "{{ 5 is not none and 1 }}", "{{ 1 in (1, 2) }} {{ (1, 2) == (1, 2) }}", "{{ 1 - 1 - 1 }} {{ 8 / 2 / 2 }}", "{{ 'a' is string == true }}",
    ],
    "undefined": [
        "[{{ nope }}]", "{{ nope.x }}", "{{ nope['x'] }}", "{{ nope() }}", "{{ nope + 1 }}", "{{ nope ~ 'a' }}", "{% for x in nope %}a{% else %}none{% endfor %}", "{{ nope is defined }} {{ nope is undefined }}",
        "{{ nope == nope2 }} {{ nope == none }} {{ nope != 1 }}", "{{ nope < 1 }}", "{{ not nope }}", "{{ [nope] }}", "{{ users[0].nope }}|{{ users[0]['nope'] }}", "{{ users[0].nope.x }}", "{{ users[99] }}", "{{ users[99].name }}",
        "{{ none.x }}", "{{ none.x.y }}", "{{ nope|length }} {{ nope|list }} {{ nope|upper }}|{{ nope|trim }}|{{ nope|join }}", "{{ nope|tojson }}", "{{ nope|int }}", "{{ nope|default('d') }} {{ ''|default('d') }} {{ ''|default('d', true) }} {{ none|d('x') }}",
        "{{ 'x' in nope }}", "{{ nope in [1] }}", "{{ nope in 'abc' }}", "{{ nope[1:] }}", "{{ -nope }}", "{{ nope is none }} {{ nope is string }} {{ nope is mapping }} {{ nope is iterable }} {{ nope is sequence }} {{ nope is number }}",
        "{{ (1 if false) is defined }}", "{{ 'a'.nope }}|{{ 1 .nope }}", "{{ text.nope is defined }}", "{{ nope|first }}", "{{ nope|map('upper')|list }}", "{{ nope|items|list }}", "{{ nope|replace('a', 'b') }}", "{{ nope|sort }}",
        "{{ nope|round }}", "{{ nope|dictsort }}", "{{ nope|selectattr('a')|list }}", "{{ nope.a is defined }}", "{% set x = nope %}{{ x is defined }}", "{{ nope|string }}|{{ nope|capitalize }}|{{ nope|title }}", "{{ nope|float }}", "{{ nope|last }}", "{{ nope|reverse|list }}", "{{ nope is callable }}",
        "{% if nope %}a{% else %}b{% endif %}", "{{ nope and 1 }}|{{ nope or 1 }}", "{{ nope * 2 }}", "{{ {'a': nope} }}", "{{ 'a' + nope }}", "{% set a, b = nope %}", "{{ messages[0].content.nope is defined }}", "{{ dict(nope) }}",
    ],
    "for": [
        "{% for m in messages %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }};{% endfor %}",
        "{% for i in empty %}x{% else %}empty{% endfor %}", "{% for k, v in users[0].items() %}{{ k }}={{ v }},{% endfor %}", "{% for k in users[0] %}{{ k }},{% endfor %}", "{% for c in '안녕a' %}{{ c }}|{% endfor %}",
        "{% for i in range(5) if i is odd %}{{ i }}{{ loop.length }}{% endfor %}", "{% for i in [1,2,3] %}{{ loop.previtem }}<{{ i }}>{{ loop.nextitem }} {% endfor %}",
        "{% for i in range(10) %}{% if i == 3 %}{% continue %}{% endif %}{% if i == 6 %}{% break %}{% endif %}{{ i }}{% endfor %}", "{% for i in [1] %}{% break %}{% else %}else{% endfor %}",
        "{% for i in [1] %}{% continue %}{% else %}else{% endfor %}", "{% for i in [1,2] %}{% for j in [3,4] %}{{ i }}{{ j }}{{ loop.index }} {% endfor %}{{ loop.index }}{% endfor %}", "{% for a, (b, c) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %}",
        "{% for a, b in [(1, 2, 3)] %}{% endfor %}", "{% for i in 5 %}{% endfor %}", "{% for i in none %}{% endfor %}", "{{ loop }}", "{% for i in [3,1,2]|sort %}{{ i }}{% endfor %}", "{% for i in (1, 2) %}{{ i }}{% endfor %}", "{% for i in 1, 2 %}{{ i }}{% endfor %}",
        "{% for i in range(3) %}{% set x = i %}{% endfor %}[{{ x }}]", "{% set x = 0 %}{% for i in range(3) %}{{ x }}{% set x = i + 10 %}{{ x }};{% endfor %}[{{ x }}]",
        "{% set ns = namespace(x=0) %}{% for i in range(3) %}{% set ns.x = ns.x + i %}{% endfor %}{{ ns.x }}", "{% for i in [1,2] %}{% if loop.first %}{% set y = 1 %}{% endif %}[{{ y }}]{% endfor %}", "{% break %}", "{% for i in [1] %}{% set loop = 1 %}{% endfor %}",
        "{% for i in messages|selectattr('role', 'equalto', 'user') %}{{ i.role }}{{ loop.last }}{% endfor %}", "{% for m in messages[1:] %}{{ m.role }}{% endfor %}", "{% for m in messages[::-1] %}{{ m.role }}{% endfor %}", "{% for i in range(3) %}{% for j in range(i) %}{{ loop.index }}{% else %}-{% endfor %}{% endfor %}",
        "{% for i in [1,2,3] if i > 5 %}{{ i }}{% else %}no{% endfor %}", "{% for i in [0,1] %}{% filter upper %}{% if i %}{% break %}{% endif %}a{% endfilter %}{% endfor %}b", "{% macro m() %}{% break %}{% endmacro %}", "{% for i in [1,2] %}{{ i }}{% endfor %}{{ i }}",
        "{% for i in users|map(attribute='age')|unique %}{{ i }} {% endfor %}", "{% for i in [1,2] %}{{ loop.nope }}{{ loop['index'] }}{% endfor %}", "{% for x in namespace() %}{% endfor %}",
    ],
    "if": ["{% if n == 7 %}a{% elif n == 8 %}b{% else %}c{% endif %}", "{% if no %}a{% elif yes %}b{% else %}c{% endif %}", "{% if '' or [] or {} or 0 or 0.0 or none %}a{% else %}b{% endif %}", "{% if 'a' and [0] and {'a':0} and 1 and (0,) %}a{% endif %}", "{% if messages|selectattr('role','equalto','nobody') %}generators are true{% endif %}",
           "{% if true %}{% set z = 5 %}{% endif %}{{ z }}", "{% if %}", "{% if true %}", "{% endif %}", "{% if true: %}x{% endif %}", "{% if range(0) %}a{% else %}b{% endif %}", "{% if users[0].keys() %}a{% endif %}", "{% if true %}a{% else if false %}b{% endif %}"],
    "set": ["{% set a = 1 %}{{ a }}", "{% set a, b = 1, 2 %}{{ a }}{{ b }}", "{% set a = 1, 2 %}{{ a }}", "{% set a %}x{{ n }}y{% endset %}{{ a }}|{{ a|length }}", "{% set a | upper | trim %} x {% endset %}[{{ a }}]", "{% set messages = messages[1:] %}{{ messages|length }}", "{% set a.b = 1 %}",
            "{% set ns = namespace({'a': 5}) %}{% set ns.b = 6 %}{{ ns.a + ns.b }}{{ ns['a'] }}", "{% set ns = namespace() %}{% set ns.x, y = 1, 2 %}{{ ns.x }}{{ y }}", "{% set ns = namespace() %}{% set ns._x = 1 %}", "{% set true = 1 %}", "{% set a, b = [1] %}", "{% set (a, b) = [1, 2] %}{{ b }}",
            "{% set x = 1 %}{% set y %}{% set x = 2 %}{{ x }}{% endset %}{{ x }}{{ y }}", "{% filter upper|replace('A', 'b') %}aa{{ n }}c{% endfilter %}", "{% set x = 'a' if n else 'b' %}{{ x }}", "{% set a = b = 1 %}", "{% generation %}hello {{ n }}{% endgeneration %}!", "{% for m in messages %}{% generation %}{{ m.role }}{% set w = 1 %}{% endgeneration %}{% endfor %}[{{ w }}]",
            "{% set ns = namespace(l=[]) %}{% for i in [1,2] %}{% set ns.l = ns.l + [i] %}{% endfor %}{{ ns.l }}", "{% set dict = 5 %}{{ dict }}", "{% set x = namespace(a=1) %}{{ x.nope is defined }}", "{% set users.x = 1 %}"],
    "macro": ["{% macro f(a, b=2) %}{{ a }}-{{ b }}{% endmacro %}{{ f(1) }} {{ f(1, 3) }} {{ f(b=4, a=5) }} {{ f() }}", "{% macro f(a) %}{% endmacro %}{{ f(1, 2) }}", "{% macro f(a) %}{% endmacro %}{{ f(b=2) }}", "{% macro f(a) %}{{ a is defined }}{% endmacro %}{{ f() }}",
              "{% macro fac(k) %}{{ k if k < 2 else k ~ '*' ~ fac(k - 1) }}{% endmacro %}{{ fac(5) }}",
              "{% macro f() %}{{ z }}{% endmacro %}{% set z = 9 %}{{ f() }}", "{% macro f(a, b=a) %}{{ b }}{% endmacro %}{{ f(1) }}", "{% macro f(a=1, b) %}{% endmacro %}", "{% macro f() %} x {% endmacro %}{{ f()|trim }}{{ f() ~ 'a' }}", "{{ f() }}{% macro f() %}{% endmacro %}", "{% macro f(n) %}{% set n = n + 1 %}{{ n }}{% endmacro %}{{ f(1) }}{{ n }}",
              "{% macro f(*a) %}{% endmacro %}", "{% macro f() %}{{ f.name }}{% endmacro %}{{ f() }}", "{% macro outer() %}{% macro inner() %}i{% endmacro %}{{ inner() }}o{% endmacro %}{{ outer() }}", "{% for i in [1,2] %}{% macro m() %}{{ i }}{% endmacro %}{{ m() }}{% endfor %}", "{% macro f(a) -%}\n  {{ a }}\n{%- endmacro %}\n{{ f('x') }}",
              "{% macro f(a=[]) %}{{ a }}{% endmacro %}{{ f() }}{{ f([1]) }}", "{% macro f() %}{% endmacro %}{{ f is callable }}{{ n is callable }}", "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}B{% endmacro %}{{ a() }}", "{% macro f(x) %}{{ x }}{% endmacro %}{{ ['a','b']|map('upper')|map('lower')|join }}{{ f(f(f('z'))) }}", "{{ raise_exception('boom ' ~ n) }}", "{% if false %}{{ raise_exception('x') }}{% endif %}ok"],
    "filters": [
        "[{{ '  a b  '|trim }}] [{{ 'xxaxx'|trim('x') }}]", "{{ 'aBc é ß'|upper }} {{ 'ABC É'|lower }} {{ 'hello wORLD'|title }} {{ 'hELLO'|capitalize }}", "{{ \"it's o-k (foo) [bar] {baz}\"|title }}", "{{ '안녕🦙'|length }} {{ [1,2]|count }} {{ {'a':1}|length }} {{ range(4)|length }}", "{{ 5|length }}", "{{ [1,2]|first }} {{ [1,2]|last }} {{ 'héy'|first }}{{ 'hé'|last }} [{{ []|first }}]",
        "{{ [1,'a',none]|join(', ') }} {{ 'abc'|join('-') }} {{ users|join(',', attribute='name') }}", "{{ 'aaa'|replace('a', 'b') }} {{ 'aaa'|replace('a', 'b', 2) }} {{ 'ab'|replace('', '-') }} {{ 123|replace(2, 'x') }}", "{{ users|map(attribute='name')|list }} {{ users|map(attribute='city.zip')|join }} {{ users|map(attribute='x', default='d')|list }}", "{{ ['a',1]|map('string')|map('upper')|list }} {{ [[1,2],[3]]|map('length')|list }} {{ ['a-b']|map('replace', '-', '+')|list }}",
        "{{ [1,2,3,4]|select('odd')|list }} {{ [1,2,3,4]|reject('gt', 2)|list }} {{ [0,1,'']|select|list }}", "{{ users|selectattr('age', 'eq', 30)|map(attribute='name')|list }} {{ users|rejectattr('age', '>', 26)|list|length }} {{ messages|selectattr('n')|list|length }} {{ messages|selectattr('n', 'defined')|list|length }}", "{{ messages|selectattr('role', 'in', ['user', 'system'])|map(attribute='role')|list }}",
        "{{ 'abc'|list }} {{ {'a':1}|list }} {{ (1,2)|list }}", "{{ 1|string + '2' }} {{ [1]|string }} {{ none|string }}", "{{ '42'|int }} {{ '42.9'|int }} {{ 'x'|int }} {{ 'x'|int(7) }} {{ 3.9|int }} {{ -3.9|int }} {{ true|int }} {{ none|int }} {{ ' 12 '|int }} {{ '1_0'|int }}", "{{ '1.5'|float }} {{ 'x'|float }} {{ 3|float }} {{ 'inf'|float }} {{ '1e3'|float }} {{ 'nan'|float }}",
        "{{ [3,1,2]|sort }} {{ ['b','A','c']|sort }} {{ ['b','A','c']|sort(case_sensitive=true) }} {{ [1,2]|sort(reverse=true) }} {{ users|sort(attribute='age,name')|map(attribute='name')|list }}", "{{ [1,'a']|sort }}",
        "{{ users|sort(attribute='age', reverse=true)|map(attribute='name')|list }}", "{{ [1,2,1,'a','A']|unique|list }} {{ users|unique(attribute='age')|map(attribute='name')|list }}", "{{ [1,2]|reverse|list }} {{ 'abc안'|reverse }} {{ (1,2)|reverse|list }}", "{{ users[0]|items|list }} {% for k, v in {'b':1,'a':2}|items %}{{ k }}{{ v }}{% endfor %} {{ [1]|items|list }}", "{{ {'b':1,'A':2,'c':0}|dictsort }} {{ {'b':1,'A':2}|dictsort(true) }} {{ {'b':1,'a':2}|dictsort(by='value') }} {{ {'b':1,'a':2}|dictsort(reverse=true) }}",
        "{{ tools|tojson }}", "{{ tools|tojson(indent=2) }}", "{{ tools[0]|tojson(sort_keys=true, separators=(',', ':')) }}", "{{ 'é\"\\n<a>&\\'안🦙\\x01\\x7f'|tojson }} {{ 'é🦙'|tojson(ensure_ascii=true) }}", "{{ [1.0, 1e20, 1.5e-7, none, true, -0.0]|tojson }} {{ {1: 'a', none: 2, true: 3, 1.5: 4}|tojson }} {{ []|tojson }}{{ {}|tojson(indent=2) }}", "{{ {'a': {'b': [], 'c': {}}}|tojson(indent=4) }} {{ [1,[2]]|tojson(indent='\t') }}", "{{ range(2)|tojson }}", "{{ (1,2)|tojson }} {{ [1,2]|map('string')|tojson }}", "{{ {(1,2): 3}|tojson }}",
        "{{ 'a\\nb\\n\\nc'|indent }} {{ 'a\\nb'|indent(2, true) }} {{ 'a\\n\\nb'|indent(2, blank=true) }} {{ 'a\\nb'|indent('> ') }} [{{ 'a\\n'|indent }}]", "{{ [1,2.5]|sum }} {{ users|sum(attribute='age') }} {{ [[1],[2]]|sum(start=[]) }} {{ ['a']|sum }}",
        "{{ '<a href=\"x\">\\'&'|e }} {{ 'x'|safe }} {{ '<'|escape }}",
        "{{ 'a'|nope }}", "{{ [1]|map('nope')|list }}", "{{ -5|abs }} {{ 'a'|abs }}", "{{ 'x'|default }} {{ nothing|default('z') }} {{ nothing|default('z', true) }}", "{{ text|upper|lower|trim|length }}", "{{ [1,2]|map('string')|length }}", "{{ ([1,2]|map('string'))[0] }}", "{% set g = [1,2]|map('string') %}{{ g|list }}{{ g|list }}", "{{ 'a,b'|split }}", "{{ 1.0|tojson }} {{ 1|tojson }} {{ 'a'|tojson|length }}", "{{ 'abc'|first|upper }}",
        "{{ users|map(attribute='name')|sort|join(',') }}", "{{ users|tojson|length }}", "{{ messages[2].content|upper }} {{ messages[2].content|length }}", "{{ 'ŉ ǆ ﬁ'|upper }} {{ 'İ'|lower|length }} {{ 'ǆa'|capitalize }}", "{{ [[1,'b'],[1,'a']]|sort }}", "{{ [none, 1]|sort }}", "{{ {'a':1}|join }} {{ [1,2]|join(0) }}", "{{ [true,false]|tojson }}{{ nothing|tojson }}",
    ],
    "tests": [
        "{{ 1 is defined }} {{ nothing is none }} {{ 'a' is string }} {{ {} is mapping }} {{ [] is iterable }} {{ 'a' is iterable }} {{ 1 is iterable }}", "{{ [] is sequence }} {{ {} is sequence }} {{ 'a' is sequence }} {{ 1 is sequence }} {{ () is sequence }} {{ {}.items() is sequence }} {{ {}.items() is iterable }} {{ [1]|map('string') is sequence }} {{ [1]|map('string') is iterable }}", "{{ 1 is number }} {{ 1.5 is number }} {{ true is number }} {{ 'a' is number }}",
        "{{ 1 is integer }} {{ true is integer }} {{ 1.0 is integer }} {{ 1.0 is float }} {{ 1 is float }}", "{{ true is boolean }} {{ 1 is boolean }} {{ true is true }} {{ 1 is true }} {{ false is false }} {{ 0 is false }}", "{{ 3 is odd }} {{ 3 is even }} {{ 9 is divisibleby 3 }} {{ 9 is divisibleby(2) }} {{ 'a' is odd }}", "{{ 1 is eq 1 }} {{ 1 is equalto 2 }} {{ 1 is == 1 }}", "{{ 2 is gt 1 }} {{ 2 is lt 1 }} {{ 2 is ge 2 }} {{ 2 is le 1 }} {{ 2 is ne 1 }} {{ 2 is greaterthan 1 }} {{ 2 is lessthan 3 }}", "{{ 1 is in [1,2] }} {{ 'a' is in 'abc' }} {{ 3 is not in [1] }}",
        "{{ none is sameas none }} {{ true is sameas true }} {{ 1 is sameas true }}", "{{ range is callable }} {{ 'a'.upper is callable }}", "{{ 1 is not none }} {{ not 1 is none }} {{ none is not none }}", "{{ 1 is nope }}", "{{ n is defined and n is number }} {{ n is defined or x is odd }}", "{{ users[0].name is defined }} {{ users[0].zip is not defined }}", "{{ 1 is defined is defined }}", "{{ n is divisibleby 7 and true }}", "{{ range(3) is sequence }} {{ namespace() is mapping }} {{ n is undefined }}",
    ],
    "methods": [
        "[{{ ' a '.strip() }}][{{ ' a '.lstrip() }}][{{ ' a '.rstrip() }}][{{ 'xyaxy'.strip('xy') }}][{{ 'xax'.lstrip('x') }}][{{ 'a\\n'.rstrip('\\n') }}]", "{{ 'a,b,c'.split(',') }} {{ ' a  b '.split() }} {{ 'a,b,c'.split(',', 1) }} {{ 'a b  c d'.split(none, 2) }} {{ 'a,b,c'.rsplit(',', 1) }} {{ ' a b  c '.rsplit(maxsplit=1) }} {{ ''.split(',') }} {{ ''.split() }} {{ 'a'.split('') }}", "{{ 'a<think>b</think>c'.split('</think>')[-1] }} {{ 'abc'.split('</think>')[0].split('<think>')[-1] }}",
        "{{ 'abc'.startswith('ab') }} {{ 'abc'.endswith(('x', 'bc')) }} {{ 'abc'.startswith(()) }}", "{{ 'abc'.replace('b', 'x') }} {{ 'aaa'.replace('a', '', 1) }} {{ 'ab'.replace('', '.') }}", "{{ 'abc'.upper() }} {{ 'ABC'.lower() }} {{ \"they're bill's\".title() }} {{ 'aBC d'.capitalize() }}", "{{ 'hello'.find('l') }} {{ 'hello'.rfind('l') }} {{ 'hello'.find('z') }} {{ '안녕a'.find('a') }} {{ 'hello'.index('e') }} {{ 'abc'.rfind('') }}", "{{ 'hello'.index('z') }}",
        "{{ ','.join(['a','b']) }} {{ ','.join([1]) }}", "{{ ','.join('abc') }} {{ ''.join([]) }}", "{{ '{}'.format() }}",
        "{{ 'a\\nb\\r\\nc\\n'.splitlines() }} {{ 'a\\nb'.splitlines(true) }}", "{{ 'banana'.count('a') }} {{ 'aaa'.count('aa') }} {{ 'abc'.count('') }}", "{{ '123'.isdigit() }} {{ 'abc'.isalpha() }} {{ 'ab1'.isalnum() }} {{ ' '.isspace() }} {{ ''.isdigit() }} {{ '안'.isalpha() }} {{ '½'.isalnum() }} {{ 'ª_'.isalpha() }}", "{{ 'TestHook'.removeprefix('Test') }} {{ 'MiscTests'.removesuffix('Tests') }}",
        "{{ [1,2,1].index(2) }} {{ (1,2).index(1) }}", "{{ [1].index(5) }}", "{{ [1].append(2) }}", "{% set l = [] %}{% set _ = l.append(1) %}", "{{ [].append is defined }}", "{{ {'a':1}.update({'b':2}) }}", "{{ {'a':1}.pop('a') }}", "{{ {'a':1,'b':2}.items() }} {{ {'a':1}.keys() }} {{ {'a':1}.values() }} {{ {'a':1}.get('a') }} {{ {'a':1}.get('x') }} {{ {'a':1}.get('x', 5) }}", "{{ {'items': 3}.items == 3 }}", "{{ {'items': 3}['items'] }} {{ {'get': 1}['get'] }}", "{{ {'a':1}.items()|list }} {{ {'a':1,'b':2}.keys()|list|join }} {{ {'a':1}.items()[0] }}|",
        "{{ 'a'.__class__ }}|{{ ''.__class__.__mro__ }}", "{{ 'a'.nope() }}", "{{ n() }}", "{{ 'x'.upper() }}", "{{ messages[0].content.strip() }}|{{ messages[0]['content'].split('.')[0] }}", "{{ 'é'.upper() }}{{ 'straße'.upper() }}{{ 'ÀB'.lower() }}", "{{ dict(a=1, b=2) }} {{ dict([('x', 1)]) }} {{ dict({'a': 1}, b=2) }}", "{{ range(5)|list }} {{ range(1, 10, 3)|list }} {{ range(5, 0, -2)|list }}", "{{ range(1000000) }}", "{{ range(1, 2, 0) }}", "{{ range('a') }}", "{{ strftime_now('%d %b %Y') }} {{ strftime_now('%e %k %l %P %C %u %w %U %W %D %F %T %R %r %c %x %X %h %f|%z|%Z|%é %-m %-j') }} {{ strftime_now('%Y-%m-%d %H:%M:%S %A %B %j %p %I %y %a %-d %%') }}",
        "{% set j = joiner('; ') %}{{ j() }}a{{ j() }}b", "{{ 'a'.split(sep=',') }} {{ 'a b'.split(maxsplit=0) }}", "{{ 'abc'.strip(1) }}", "{{ text.split('\\n')[0].split(' ')|length }}",
    ],
    "documented": [
        "{% if loop is defined %}{{ loop.index }}{% endif %}", "{% for i in [1,2,3] -%} {{ loop.index }}/{{ loop.length }} {%- if not loop.last %}, {% endif %}{% endfor %}", "{% for k, v in {'b': 1, 'a': 2}|dictsort %}{{ k }}{{ v }}{% endfor %}",
        "{% set navigation = [('index.html', 'Index'), ('about.html', 'About')] %}{% set key, value = navigation[0] %}{{ key }}{{ value }}",
        "{% filter indent(2) %}a\nb{% endfilter %}", "{{ {'a': {'b': 1}}.a.b }} {{ {'a': [10]}['a'][0] }}", "{{ 1 is divisibleby 1 }} {{ 'x' is sameas 'x' }}",
        "{{ [3,1]|sort(reverse=true) }} {{ ['b','A']|sort }} {{ ['b','A']|sort(case_sensitive=true) }} {{ users|sort(attribute='age,name')|map(attribute='name')|join }}", "{% do messages %}", "{% trans %}x{% endtrans %}",
    ],
    "tools": [
        "{{ tools|tojson }}", "{{ tools|tojson(indent=2) }}", "{% for t in tools %}{{ t.name }}:{{ t.args|tojson }}:{{ t.tags|join('/') }}{% endfor %}", "{% if tools is defined and tools %}has{% endif %}{% if documents is defined %}docs{% endif %}{% if enable_thinking is defined and enable_thinking is false %}off{% endif %}", "{% for k, v in tools[0].args|items %}{{ k }}={{ v|tojson }};{% endfor %}", "{{ tools|map(attribute='name')|list|tojson }}", "{%- set ns = namespace(found=false) %}{% for t in tools %}{% if t.tags is iterable and t.tags is not string and t.tags is not mapping %}{% set ns.found = true %}{% endif %}{% endfor %}{{ ns.found }}",
    ],
    "unicode": [
        "{{ 'ﬀ ŉ ǰ ΐ և ẖ ᾳ ᾷ ᾼ ẞ ß ǆ ǅ ı ſ K Å'|upper }}", "{{ 'İI ẞ ǅ ᾼ Ω K Å Ⓐ Ⅷ'|lower }}",
        "{{ ['\u00ad \u2028 \u3000 \ue000 \U000e0001 \u0378 é ¡ \u0301'] }}", "{{ '\u2003a\x1c\u3000'.strip() }}|{{ 'a\u2028b\x85c'.splitlines() }}",
    ],
    "slices": [
        "{{ [1,2,3,4,5][1:3] }} {{ [1,2,3][:-1] }} {{ [1,2,3][::-1] }} {{ [1,2,3,4,5][::2] }} {{ [1,2,3,4,5][-2:] }} {{ [1,2,3][5:] }} {{ [1,2,3,4,5][4:1:-2] }}", "{{ '안녕하세요'[1:3] }} {{ 'hello'[::-1] }} {{ 'hello'[-3:-1] }} {{ 'abc'[0] }} {{ 'abc'[-1] }} [{{ 'abc'[9] }}]", "{{ (1,2,3)[1:] }} {{ range(10)[2:5]|list }} {{ range(5)[1] }}", "{{ [1,2,3][::0] }}", "{{ none[1:] }}", "{{ {'a':1}[1:] }}", "{{ [1,2]['a'] }}|{{ [1,2][1.0] }}|{{ [1,2][true] }}", "{{ users[0]['name'] }} {{ users.0.name }} {{ users[-1].name }} {{ users[0].city['zip'] }}", "{{ 'abc'[none:2] }} {{ 'abc'['a':] }}", "{{ messages[1:][0].role }}", "{{ [1,2,3][-100:100] }} {{ [1,2,3][100:-100:-1] }} {{ 'abc'[2::-1] }} {{ [1,2,3][:0:-1] }}", "{{ [[1,2],[3]][0][1] }}", "{{ {1: 'a'}[1] }} {{ {1: 'a'}[1.0] }} {{ {none: 2}[none] }} {{ {(1,2): 3}[1,2] }}", "{{ [1,2,3][1:][0] }}"],
    "syntax": ["{{ 1 + }}", "{{ (1 }}", "{{ 1) }}", "{% nope %}", "{% for %}", "{{ }}", "{{ a b }}", "{% if x %}", "{# open", "{{ open", "{% raw %}x", "{% include 'x' %}", "{% import 'x' as y %}", "{% extends 'x' %}", "{{ [1 }}", "{{ {1} }}", "{{ a.1b }}", "{{ 'a'|f( }}", "{{ f(a=1, 2) }}", "{{ x is }}", "{{ @ }}", "{% set %}", "{% set 1 = 2 %}", "{{ a..b }}", "{% for x in [1] %}{% endif %}", "{% macro %}", "{{ not }}", "{{ - }}", "{% else %}", "{% endfor %}", "{{ $ }}", "{{ a ? b : c }}", "{{ 1 if }}", "{{ {'a' 1} }}", "{% do x %}"],
    "values": ["{{ true }} {{ none }} {{ 1.0 }} {{ 100000000000000000000.0 }} {{ 1e100 }}", "{{ messages[1] }}", "{{ tools }}", "{{ [[], {}, ()] }} {{ [nope] }} {{ [text] }}", "{{ bos_token }}{{ bos_token|length }}", "{{ n }} {{ f }} {{ yes }} {{ nothing }}", "{{ 9223372036854775807 }}", "{{ namespace is callable }}", "{{ 1 == true }} {{ 'a' == 'a' }} {{ [1, [2]] == [1, [2]] }}", "{{ 1.5 == 1.5 }} {{ 3 == 3.0 }}", "{{ ['a', 'b']|string }}", "{{ {'k': messages[0].role} }}"],
}


class Generation(Extension):
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_render"), [], [], body).set_lineno(line)

    def _render(self, caller):
        return caller()


class SafeNamespace(jinja2.utils.Namespace):
    def __init__(*args, **kwargs):
        self, args = args[0], args[1:]
        jinja2.utils.Namespace.__init__(self, dict(*args, **kwargs))

    def __setitem__(self, name, value):
        if name.startswith("_"):
            raise jinja2.exceptions.SecurityError(name)
        jinja2.utils.Namespace.__setitem__(self, name, value)


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def make_environment():
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
    now = datetime.datetime(2026, 11, 20, 12, 0, 0)
    env.filters["tojson"] = tojson
    env.globals.update(raise_exception=raise_exception, strftime_now=lambda f: now.strftime(f), namespace=SafeNamespace)
    return env


def render(env, source):
    try:
        return {"rendered": env.from_string(source).render(**INPUT)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:120]}


def main():
    env = make_environment()
    rows = [{"feature": feature, "template": source, **render(env, source)} for feature, sources in CASES.items() for source in sources]
    for row in rows:
        assert " at 0x" not in row.get("rendered", ""), row  # An address is no golden value.
    origin = f"tests/scripts/make_template_cases.py with Jinja2 {jinja2.__version__}, Python {sys.version.split()[0]}"
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    print(f'{{"origin": {json.dumps(origin)},\n"input": {json.dumps(INPUT, ensure_ascii=False)},\n"cases": [\n{lines}\n]}}')


main()
