#pragma once

namespace quire::gallery {

inline const char* const kPagingAnswer =
    R"(Because the length of an answer is not known when it begins. A contiguous cache must **reserve the worst case**; a table of small blocks takes the next block only when the last one is full.

```cpp
if (num_tokens % kBlockSize == 0)  // the block is full
    table.push_back(pool.take());
```

So at most one block per chat is partly empty, whatever its length, and two chats that begin alike can point at the **same** blocks.

## What it costs

1. An indirection for each block, through `block_table[i]`.
2. A kernel that reads keys in pages:
   - 16 tokens a page
   - any page, anywhere
3. Nothing else of note.

| layout | waste | sharing |
|---|---:|---|
| contiguous | up to 80% | none |
| paged | under 4% | whole blocks |

> Paging is an old idea; see [the paper](https://arxiv.org/abs/2309.06180).

- [x] explained
- [ ] measured
)";

inline const char* const kKoreanPagingAnswer =
    R"(답변이 시작될 때는 그 길이를 알 수 없기 때문입니다. 연속 캐시는 **가장 긴 경우**를 미리 잡아 두어야 하지만, 작은 블록의 표는 마지막 블록이 가득 찼을 때만 다음 블록을 가져옵니다.

```cpp
if (num_tokens % kBlockSize == 0)  // 블록이 가득 찼다
    table.push_back(pool.take());
```

그래서 대화가 아무리 길어도 덜 찬 블록은 많아야 하나이고, 시작이 같은 두 대화는 **같은** 블록을 가리킬 수 있습니다.

## 비용

1. 블록마다 `block_table[i]`를 한 번 거칩니다.
2. 키를 페이지 단위로 읽는 커널이 필요합니다.
   - 한 페이지에 16토큰
   - 페이지는 어디에 있어도 됩니다
3. 그 밖에는 거의 없습니다.

| 배치 | 낭비 | 공유 |
|---|---:|---|
| 연속 | 최대 80% | 없음 |
| 페이지 | 4% 미만 | 블록 전체 |

> 페이징은 오래된 생각입니다. [논문](https://arxiv.org/abs/2309.06180)을 보세요.

- [x] 설명함
- [ ] 측정함
)";

inline const char* const kLetterAnswer = R"(네, 정중하고 짧게 다듬어 보았습니다.

**제목:** 회의 일정 변경 부탁드립니다

안녕하세요, 김 팀장님. 내일 오후 3시 회의를 *금요일 오전*으로 옮길 수 있을지 여쭙고자 연락드립니다. 자료는 `보고서_v2.pdf`로 미리 보내 드리겠습니다.

1. 금요일 오전 10시
2. 금요일 오전 11시

편하신 시간을 알려 주시면 감사하겠습니다.)";

inline const char* const kRootsAnswer =
    R"(<think>
The user asks for the roots. I use the **quadratic formula**, and check the sign of the discriminant.

- it is positive here
</think>

The roots of $ax^2 + bx + c = 0$, with $a \neq 0$, are

$$x_{1,2} = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}$$

so a rotation by $\theta$, which costs \$5 to nobody, is

\[ R = \begin{bmatrix} \cos\theta & -\sin\theta \\ \sin\theta & \cos\theta \end{bmatrix} \]

and for all $x \in \mathbb{R}^n$, $\sum_{i=1}^{n} x_i^2 \geq 0$.

```python
def roots(a, b, c):  # real ones only
    """Both roots."""
    d = b**2 - 4*a*c
    if d < 0:
        raise ValueError(f"no real root: {d}")
    return [(-b + s * math.sqrt(d)) / (2 * a) for s in (1, -1)]
```
)";

inline const char* const kFormulas =
    R"(For $a \neq 0$ let $f(x) = ax^2 + bx + c$, $\hat{\theta} \in \mathbb{R}^n$, and $\tfrac{1}{2}\|x\|^2$; a fraction in the text, $\frac{a+b}{c}$, needs a higher line.

$$\int_{-\infty}^{\infty} e^{-x^2}\,dx = \sqrt{\pi}, \qquad \sum_{k=0}^{n} \binom{n}{k} x^k = (1+x)^n$$

$$\lim_{n \to \infty} \left(1 + \frac{1}{n}\right)^n = e, \quad \sqrt[3]{\frac{x^2 + 1}{y}}, \quad \overline{AB}, \quad \vec{v} \cdot \dot{q}$$

\[ \begin{pmatrix} a & b \\ c & d \end{pmatrix}^{-1} = \frac{1}{ad - bc} \begin{bmatrix} d & -b \\ -c & a \end{bmatrix}, \quad |x| = \begin{cases} x & \text{if } x \geq 0 \\ -x & \text{otherwise} \end{cases} \]

\begin{align} \nabla \times \mathbf{E} &= -\frac{\partial \mathbf{B}}{\partial t} \\ \oint_{\partial S} \mathbf{B} \cdot d\boldsymbol{\ell} &= \mu_0 I + \mu_0 \varepsilon_0 \frac{d\Phi_E}{dt} \end{align}

$$\underbrace{1 + 2 + \cdots + n}_{n \text{ terms}} = \frac{n(n+1)}{2}, \quad A \xrightarrow{f} B, \quad \operatorname*{argmax}_{\theta \in \Theta} \mathcal{L}(\theta), \quad \prod_{p} \frac{1}{1 - p^{-s}}$$

| law | formula |
|---|---|
| Bayes | $P(A \mid B) = \frac{P(B \mid A)\,P(A)}{P(B)}$ |
| Euler | $e^{i\pi} + 1 = 0$ |
)";

inline const char* const kKoreanRootsAnswer =
    R"(<think>
근을 묻고 있다. **근의 공식**을 쓰고 판별식의 부호를 확인한다.

- 여기서는 양수이다
</think>

$a \neq 0$일 때 $ax^2 + bx + c = 0$의 근은 다음과 같습니다.

$$x_{1,2} = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}$$

각 $\theta$만큼의 회전은

\[ R = \begin{bmatrix} \cos\theta & -\sin\theta \\ \sin\theta & \cos\theta \end{bmatrix} \]

이고, 모든 $x \in \mathbb{R}^n$에 대해 $\sum_{i=1}^{n} x_i^2 \geq 0$입니다.

```python
def roots(a, b, c):  # 실근만
    """두 근."""
    d = b**2 - 4*a*c
    if d < 0:
        raise ValueError(f"실근이 없음: {d}")
    return [(-b + s * math.sqrt(d)) / (2 * a) for s in (1, -1)]
```
)";

}  // namespace quire::gallery
