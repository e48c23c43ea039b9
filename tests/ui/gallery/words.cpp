#include "tests/ui/gallery/words.h"

#include <QLocale>

#include "tests/ui/gallery/long_texts.h"

namespace quire::gallery {
namespace {

Words english() {
  return {
      .paging = "Why does a page table beat one big contiguous cache?",
      .pagingAnswer = kPagingAnswer,
      .child = "Explain paging to a child",
      .childAnswer =
          "Imagine you are writing a story but nobody knows how long it will be.\n\nIf you ask for "
          "one very big notebook, most of it stays **empty**, and your friends cannot use those "
          "pages. If you take one sheet at a time from a shared pile, and keep a little list of "
          "which sheets are yours, nothing is wasted.",
      .sharing = "What does sharing a block cost?",
      .sharingAnswer =
          "One number for each block: how many chats point at it.\n\n- **Reading** costs nothing "
          "more; every chat reads the same keys and values.\n- **Writing** copies one block, the "
          "last, when two chats go different ways.\n- **Leaving** takes one off the number; at "
          "zero the block is free again.\n\nFor a persona of 1,024 tokens that is 64 numbers, and "
          "64 blocks saved for each further chat.",
      .haiku = "Write a haiku about page faults",
      .haikuAnswer = "A page is missing.\nThe kernel looks, then finds it.\nThe program sleeps on.",
      .trip = "Trip to Busan, three days",
      .tripAnswer = "Day one: **Haeundae**.\n\nDay two: *Gamcheon*.\n\nDay three: the market.",
      .letter = "이메일 초안 다듬기",
      .letterAnswer = kLetterAnswer,
      .roots = "What are the roots of a quadratic?",
      .rootsAnswer = kRootsAnswer,
      .edited = "Why does a page table beat one big contiguous cache? Answer for a sysadmin.",
      .titles = {"Thesis: chapter 3 outline", "Paging, explained to a sysadmin",
                 "Paging, explained to a child", "Review: block_pool.cpp", "논문 초록 다듬기",
                 "What to cook for eight", "Tax form, line by line", "Names for a small boat",
                 "Old notes", "A poem for Mina"},
      .folderOne = "Paging",
      .folderTwo = "Household",
      .found = "page",
      .notFound = "zeppelin",
      .longLine = "A very long paste, line after line of it. ",
      .table = "item,price\npear,2\nplum,3\nfig,5\n",
      .tableQuestion = "Which of these is the cheapest?",
  };
}

Words korean() {
  return {
      .paging = "페이지 테이블이 큰 연속 캐시보다 나은 이유는 무엇인가요?",
      .pagingAnswer = kKoreanPagingAnswer,
      .child = "페이징을 아이에게 설명해 주세요",
      .childAnswer =
          "이야기를 쓰는데 얼마나 길어질지 아무도 모른다고 해 볼까요?\n\n아주 큰 공책을 미리 받아 "
          "두면 대부분은 **비어** 있고, 친구들은 그 종이를 쓸 수 없어요. 모두가 함께 쓰는 종이 "
          "더미에서 한 장씩 가져오고 어느 종이가 내 것인지 적어 두면, 버려지는 종이가 없답니다.",
      .sharing = "블록을 나누어 쓰면 비용이 얼마나 드나요?",
      .sharingAnswer =
          "블록마다 숫자 하나면 됩니다. 그 블록을 가리키는 대화의 수입니다.\n\n- **읽기**: 더 드는 "
          "것이 없습니다. 모든 대화가 같은 키와 값을 읽습니다.\n- **쓰기**: 두 대화가 갈라질 때 "
          "마지막 블록 하나만 복사합니다.\n- **나가기**: 숫자를 하나 줄이고, 0이 되면 그 블록을 "
          "다시 "
          "씁니다.\n\n1,024토큰짜리 페르소나라면 숫자 64개이고, 대화가 늘 때마다 블록 64개를 "
          "아낍니다.",
      .haiku = "페이지 폴트로 하이쿠를 써 주세요",
      .haikuAnswer = "없는 한 페이지\n커널이 찾아내니\n꿈꾸는 프로그램",
      .trip = "부산 여행, 사흘 일정",
      .tripAnswer = "첫째 날: **해운대**.\n\n둘째 날: *감천문화마을*.\n\n셋째 날: 자갈치시장.",
      .letter = "이메일 초안 다듬기",
      .letterAnswer = kLetterAnswer,
      .roots = "이차방정식의 근은 어떻게 구하나요?",
      .rootsAnswer = kKoreanRootsAnswer,
      .edited = "페이지 테이블이 큰 연속 캐시보다 나은 이유를 시스템 관리자에게 설명해 주세요.",
      .titles = {"학위 논문 3장 개요", "시스템 관리자를 위한 페이징", "아이를 위한 페이징",
                 "검토: block_pool.cpp", "논문 초록 다듬기", "여덟 명을 위한 저녁 식사",
                 "세금 신고서 한 줄씩 읽기", "작은 배의 이름", "오래된 메모", "미나에게 쓰는 시"},
      .folderOne = "페이징",
      .folderTwo = "집안일",
      .found = "회의",
      .notFound = "비행선",
      .longLine = "아주 길게 붙여 넣은 글이 한 줄 한 줄 이어집니다. ",
      .table = "품목,값\n배,2\n자두,3\n무화과,5\n",
      .tableQuestion = "이 가운데 가장 싼 것은 무엇인가요?",
  };
}

}  // namespace

bool isKorean() {
  return QLocale::system().uiLanguages().value(0).startsWith(QLatin1String("ko"));
}

const Words& words() {
  static const Words kWords = isKorean() ? korean() : english();
  return kWords;
}

}  // namespace quire::gallery
