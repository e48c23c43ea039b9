#pragma once

namespace quire::gallery {

// Conversations in languages that are written from right to left.

inline constexpr const char* kArabicQuestion = R"(كيف أحسب جذور المعادلة التربيعية في Python؟
اشرح الصيغة أولاً، من فضلك.)";
inline constexpr const char* kArabicAnswer = R"(## المعادلة التربيعية

للمعادلة $ax^2 + bx + c = 0$ حلّان إذا كان المميّز $b^2 - 4ac$ موجباً، و**حل واحد** إذا كان صفراً. `cmath.sqrt` تعمل مع الأعداد المركبة أيضاً:

$$x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}$$

1. احسب المميّز.
2. خذ جذره التربيعي بالدالة `sqrt`.
   - إذا كان سالباً فاستخدم `cmath`.
3. اقسم على $2a$.

> لا تقسم على صفر: تحقّق أولاً من أن $a \neq 0$.

```python
import cmath

def roots(a, b, c):
    # المميّز
    d = cmath.sqrt(b * b - 4 * a * c)
    return (-b + d) / (2 * a), (-b - d) / (2 * a)
```

| المميّز | عدد الحلول | مثال |
|---|---|---|
| موجب | 2 | `roots(1, -3, 2)` |
| صفر | 1 | `roots(1, 2, 1)` |
| سالب | 2 مركّبان | `roots(1, 0, 1)` |

This last paragraph is in English, and stands where English begins.
)";

inline constexpr const char* kHebrewQuestion = R"(מה ההבדל בין list ל-tuple?
Please answer in Hebrew.)";
inline constexpr const char* kHebrewAnswer = R"(`list` אפשר לשנות, ו-`tuple` אי אפשר. לכן:

- **רשימה** מתאימה לאוסף שגדל, למשל `names.append("דנה")`.
- **צמד** מתאים למפתח של מילון.
  1. הוא מהיר יותר.
  2. הוא תופס פחות זיכרון: 56 בתים במקום 72.

> העתקה של $n$ איברים נמשכת $O(n)$.

| סוג | ניתן לשינוי | דוגמה |
|---|---|---|
| `list` | כן | `[1, 2]` |
| `tuple` | לא | `(1, 2)` |

```python
point = (3, 4)  # נקודה
point[0] = 5    # TypeError
```
)";

}  // namespace quire::gallery
