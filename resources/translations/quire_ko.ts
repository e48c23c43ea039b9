<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ko_KR">
<context>
    <name>AboutSection</name>
    <message>
        <source>About</source>
        <translation>정보</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>라이선스</translation>
    </message>
    <message>
        <source>Quire is free software under the Apache License 2.0. It stands on Qt (LGPL 3), SQLite (public domain), md4c and nlohmann/json (MIT), and the fonts Inter and JetBrains Mono (SIL Open Font License).</source>
        <translation>Quire는 Apache License 2.0을 따르는 자유 소프트웨어입니다. Qt(LGPL 3), SQLite(퍼블릭 도메인), md4c와 nlohmann/json(MIT), 글꼴 Inter와 JetBrains Mono(SIL Open Font License)를 바탕으로 합니다.</translation>
    </message>
</context>
<context>
    <name>AnswerColumnView</name>
    <message>
        <source>Keep this one</source>
        <translation>이 답변 남기기</translation>
    </message>
    <message>
        <source>The others are deleted; you can take that back for a few seconds</source>
        <translation>나머지는 삭제됩니다. 몇 초 동안 되돌릴 수 있습니다</translation>
    </message>
</context>
<context>
    <name>AnswerColumns</name>
    <message>
        <source>Keep all as versions</source>
        <translation>모두 버전으로 남기기</translation>
    </message>
    <message>
        <source>They stay on this message, with arrows between them</source>
        <translation>이 메시지에 그대로 남고 화살표로 오갈 수 있습니다</translation>
    </message>
    <message>
        <source>Turn all into chats</source>
        <translation>모두 대화로 만들기</translation>
    </message>
    <message>
        <source>Each goes on in a chat of its own, the first one here</source>
        <translation>저마다 새 대화에서 이어지고, 첫 번째는 여기서 이어집니다</translation>
    </message>
    <message>
        <source>Answers to compare</source>
        <translation>비교할 답변</translation>
    </message>
    <message>
        <source>Answers to the left</source>
        <translation>왼쪽 답변</translation>
    </message>
    <message>
        <source>Answers to the right</source>
        <translation>오른쪽 답변</translation>
    </message>
</context>
<context>
    <name>AnswerFooter</name>
    <message>
        <source>Copy the answer as Markdown</source>
        <translation>답변을 Markdown으로 복사</translation>
    </message>
    <message>
        <source>Answer again; this version is kept</source>
        <translation>다시 답하기 (이 버전은 남습니다)</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>일시 정지</translation>
    </message>
    <message>
        <source>Fork: go on from here in a chat of its own</source>
        <translation>갈래 만들기: 여기서부터 새 대화로 이어 가기</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>이어 쓰기</translation>
    </message>
    <message>
        <source>Goes on with this answer where it was cut off</source>
        <translation>이 답변을 끊긴 곳부터 이어 씁니다</translation>
    </message>
</context>
<context>
    <name>AnswersSection</name>
    <message>
        <source>Answers</source>
        <translation>답변</translation>
    </message>
    <message>
        <source>As soon as a model is loaded, how it answers can be set here.</source>
        <translation>모델을 불러오면 답변 방식을 여기서 정할 수 있습니다.</translation>
    </message>
</context>
<context>
    <name>AppHeader</name>
    <message>
        <source>Hide the engine&apos;s panel</source>
        <translation>엔진 패널 숨기기</translation>
    </message>
    <message>
        <source>Show the engine&apos;s panel</source>
        <translation>엔진 패널 보이기</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>일시 정지</translation>
    </message>
</context>
<context>
    <name>AppearanceSection</name>
    <message>
        <source>Appearance</source>
        <translation>모양</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>테마</translation>
    </message>
    <message>
        <source>Light, dark, or as the system has it at the moment.</source>
        <translation>밝게, 어둡게, 또는 지금의 시스템 설정에 맞춥니다.</translation>
    </message>
    <message>
        <source>Default: as the system</source>
        <translation>기본값: 시스템에 맞춤</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>시스템에 맞춤</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>밝게</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>어둡게</translation>
    </message>
    <message>
        <source>Size of text</source>
        <translation>글자 크기</translation>
    </message>
    <message>
        <source>Everything that is read grows with it.</source>
        <translation>읽는 글이 모두 함께 커집니다.</translation>
    </message>
    <message>
        <source>Default: 100 %</source>
        <translation>기본값: 100 %</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>언어</translation>
    </message>
    <message>
        <source>Of the window&apos;s own words; models answer in the language you write.</source>
        <translation>화면에 쓰는 말입니다. 모델은 사용자가 쓰는 언어로 답변합니다.</translation>
    </message>
</context>
<context>
    <name>ArchiveEntry</name>
    <message>
        <source>%1, shown</source>
        <translation>%1, 표시됨</translation>
    </message>
</context>
<context>
    <name>AskPopup</name>
    <message>
        <source>Answers at once</source>
        <translation>한 번에 받을 답변 수</translation>
    </message>
    <message>
        <source>They differ</source>
        <translation>다르게 하는 방법</translation>
    </message>
    <message>
        <source>By chance</source>
        <translation>무작위로</translation>
    </message>
    <message>
        <source>By temperature</source>
        <translation>온도로</translation>
    </message>
    <message>
        <source>By persona</source>
        <translation>페르소나로</translation>
    </message>
    <message>
        <source>Temperatures, one for each answer</source>
        <translation>답변마다 하나씩 쓸 온도</translation>
    </message>
</context>
<context>
    <name>AttachButton</name>
    <message>
        <source>Add files</source>
        <translation>파일 추가</translation>
    </message>
    <message>
        <source>Add text, code, CSV or PDF files; they can also be dropped or pasted here</source>
        <translation>텍스트, 코드, CSV, PDF 파일을 추가합니다. 여기에 끌어 놓거나 붙여 넣어도 됩니다</translation>
    </message>
</context>
<context>
    <name>AttachmentChip</name>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Opens the file to read it</source>
        <translation>파일을 열어 읽습니다</translation>
    </message>
    <message>
        <source>Take out %1</source>
        <translation>%1 빼기</translation>
    </message>
</context>
<context>
    <name>AttachmentChips</name>
    <message>
        <source>Files of the message</source>
        <translation>메시지의 파일</translation>
    </message>
</context>
<context>
    <name>AttachmentDialog</name>
    <message>
        <source>Add files</source>
        <translation>파일 추가</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>모든 파일 (*)</translation>
    </message>
    <message>
        <source>PDF (*.pdf)</source>
        <translation>PDF (*.pdf)</translation>
    </message>
    <message>
        <source>Text, Markdown and tables (*.txt *.md *.csv)</source>
        <translation>텍스트, Markdown, 표 (*.txt *.md *.csv)</translation>
    </message>
</context>
<context>
    <name>AttachmentDrop</name>
    <message>
        <source>Drop to add it to your message</source>
        <translation>놓으면 메시지에 추가됩니다</translation>
    </message>
</context>
<context>
    <name>AttachmentFile</name>
    <message>
        <source>%1 is not there.</source>
        <translation>%1 파일이 없습니다.</translation>
    </message>
    <message>
        <source>%1 is not a file. Add the files in it one by one.</source>
        <translation>%1은(는) 파일이 아닙니다. 그 안의 파일을 하나씩 추가하십시오.</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2.</source>
        <translation>%1을(를) 읽을 수 없습니다: %2.</translation>
    </message>
    <message>
        <source>%1 has %2; at most %3 can be added.</source>
        <translation>%1의 크기는 %2입니다. %3까지 추가할 수 있습니다.</translation>
    </message>
    <message>
        <source>%1 is not text. Text, Markdown, code, CSV and PDF can be added.</source>
        <translation>%1은(는) 텍스트가 아닙니다. 텍스트, Markdown, 코드, CSV, PDF를 추가할 수 있습니다.</translation>
    </message>
    <message>
        <source>%1 is empty.</source>
        <translation>%1은(는) 비어 있습니다.</translation>
    </message>
</context>
<context>
    <name>AttachmentSheet</name>
    <message>
        <source>Copy the text</source>
        <translation>텍스트 복사</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
</context>
<context>
    <name>AttachmentText</name>
    <message>
        <source>Text of %1</source>
        <translation>%1의 텍스트</translation>
    </message>
    <message>
        <source>As the model reads it</source>
        <translation>모델이 읽는 내용</translation>
    </message>
</context>
<context>
    <name>BackupRow</name>
    <message>
        <source>Restore</source>
        <translation>복원</translation>
    </message>
    <message>
        <source>Restore what is missing from the backup of %1</source>
        <translation>%1 백업에서 없는 것만 복원</translation>
    </message>
</context>
<context>
    <name>BlockCard</name>
    <message>
        <source>Cache blocks</source>
        <translation>캐시 블록</translation>
    </message>
    <message>
        <source>%1 hold something</source>
        <translation>%1 사용 중</translation>
    </message>
    <message>
        <source>Each square is a block of the memory that holds what has been read and written. Choose one to see its text.</source>
        <translation>네모 하나는 읽고 쓴 내용을 담는 메모리 블록입니다. 네모를 선택하면 담긴 글이 보입니다.</translation>
    </message>
</context>
<context>
    <name>BlockKeyEntry</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>BlockMap</name>
    <message>
        <source>Cache blocks. %1</source>
        <translation>캐시 블록. %1</translation>
    </message>
</context>
<context>
    <name>BlockReader</name>
    <message>
        <source>Close the block&apos;s text</source>
        <translation>블록의 글 닫기</translation>
    </message>
</context>
<context>
    <name>ChatArea</name>
    <message>
        <source>See what can be done</source>
        <translation>할 수 있는 일 보기</translation>
    </message>
</context>
<context>
    <name>ChatFork</name>
    <message>
        <source>(fork)</source>
        <translation>(갈래)</translation>
    </message>
</context>
<context>
    <name>ChatHeader</name>
    <message>
        <source>Close this pane (Ctrl+W); the chat goes on</source>
        <translation>이 창 닫기 (Ctrl+W). 대화는 계속됩니다</translation>
    </message>
    <message>
        <source>This chat stays with this model, whatever the window uses elsewhere</source>
        <translation>다른 곳에서 무엇을 쓰든 이 대화는 이 모델을 계속 씁니다</translation>
    </message>
    <message>
        <source>Settings of this chat</source>
        <translation>이 대화의 설정</translation>
    </message>
</context>
<context>
    <name>ChatList</name>
    <message>
        <source>Chats</source>
        <translation>대화</translation>
    </message>
</context>
<context>
    <name>ChatPane</name>
    <message>
        <source>Delete</source>
        <translation>삭제</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>남기기</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>되돌리기</translation>
    </message>
</context>
<context>
    <name>ChatRow</name>
    <message>
        <source>%1, being answered</source>
        <translation>%1, 답변 중</translation>
    </message>
    <message>
        <source>%1, new answer</source>
        <translation>%1, 새 답변</translation>
    </message>
</context>
<context>
    <name>ChatRowContent</name>
    <message>
        <source>What can be done with this chat</source>
        <translation>이 대화에 할 수 있는 일</translation>
    </message>
</context>
<context>
    <name>ChatRowMenu</name>
    <message>
        <source>Rename</source>
        <translation>이름 바꾸기</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>삭제</translation>
    </message>
    <message>
        <source>Del</source>
        <translation>Del</translation>
    </message>
    <message>
        <source>Open in a new pane</source>
        <translation>새 창에서 열기</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>고정 해제</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>고정</translation>
    </message>
    <message>
        <source>Mark as read</source>
        <translation>읽음으로 표시</translation>
    </message>
    <message>
        <source>Mark as unread</source>
        <translation>읽지 않음으로 표시</translation>
    </message>
    <message>
        <source>Move to folder</source>
        <translation>폴더로 옮기기</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>새 폴더</translation>
    </message>
    <message>
        <source>Out of the folder</source>
        <translation>폴더에서 꺼내기</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>내보내기…</translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation>되돌리기</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>보관</translation>
    </message>
</context>
<context>
    <name>ChatSheet</name>
    <message>
        <source>Settings of “%1”</source>
        <translation>“%1” 설정</translation>
    </message>
    <message>
        <source>Persona</source>
        <translation>페르소나</translation>
    </message>
    <message>
        <source>Who answers. Another one reads the whole chat anew, once.</source>
        <translation>답변할 페르소나입니다. 바꾸면 대화 전체를 한 번 다시 읽습니다.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>What answers in this chat.</source>
        <translation>이 대화에서 답변하는 모델입니다.</translation>
    </message>
    <message>
        <source>Context in use</source>
        <translation>사용 중인 컨텍스트</translation>
    </message>
    <message>
        <source>Tokens of this chat, and what the model can read at once.</source>
        <translation>이 대화의 토큰과 모델이 한 번에 읽을 수 있는 양입니다.</translation>
    </message>
    <message>
        <source>How answers are drawn in this chat</source>
        <translation>이 대화의 답변 생성 방식</translation>
    </message>
</context>
<context>
    <name>CodeBar</name>
    <message>
        <source>Do not wrap</source>
        <translation>줄 바꾸지 않기</translation>
    </message>
    <message>
        <source>Wrap</source>
        <translation>줄 바꾸기</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Your message</source>
        <translation>내 메시지</translation>
    </message>
</context>
<context>
    <name>ComposerBar</name>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>멈추기</translation>
    </message>
    <message>
        <source>Stop this answer (Esc); what is written stays</source>
        <translation>이 답변 멈추기 (Esc). 쓴 내용은 남습니다</translation>
    </message>
</context>
<context>
    <name>ContextMeter</name>
    <message>
        <source>Context used: %1 tokens</source>
        <translation>사용한 컨텍스트: %1토큰</translation>
    </message>
    <message>
        <source>%1 tokens: the conversation so far, of those the model can read at once</source>
        <translation>%1토큰: 모델이 한 번에 읽을 수 있는 양 가운데 지금까지의 대화</translation>
    </message>
</context>
<context>
    <name>CopyButton</name>
    <message>
        <source>Copied</source>
        <translation>복사됨</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>복사</translation>
    </message>
    <message>
        <source>Copy code</source>
        <translation>코드 복사</translation>
    </message>
</context>
<context>
    <name>DataSection</name>
    <message>
        <source>Export all chats…</source>
        <translation>모든 대화 내보내기…</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>가져오기…</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>지금 백업</translation>
    </message>
    <message>
        <source>Backups. Restoring brings back what is missing; nothing newer is overwritten.</source>
        <translation>백업. 복원하면 없는 것만 되살립니다. 더 새로운 것은 덮어쓰지 않습니다.</translation>
    </message>
    <message>
        <source>No backups yet. From the first chat on, one is made on each day on which Quire is used.</source>
        <translation>아직 백업이 없습니다. 첫 대화가 생기면 Quire를 쓰는 날마다 하나씩 만듭니다.</translation>
    </message>
</context>
<context>
    <name>EnginePage</name>
    <message>
        <source>Engine</source>
        <translation>엔진</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Pace</source>
        <translation>속도</translation>
    </message>
    <message>
        <source>Time to first token</source>
        <translation>첫 토큰까지 걸린 시간</translation>
    </message>
    <message>
        <source>Between tokens</source>
        <translation>토큰 사이 간격</translation>
    </message>
    <message>
        <source>At work</source>
        <translation>작업 상황</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>캐시</translation>
    </message>
</context>
<context>
    <name>EnginePanel</name>
    <message>
        <source>Engine</source>
        <translation>엔진</translation>
    </message>
    <message>
        <source>Cache blocks</source>
        <translation>캐시 블록</translation>
    </message>
    <message>
        <source>Last prompt</source>
        <translation>최근 프롬프트</translation>
    </message>
    <message>
        <source>Pace</source>
        <translation>속도</translation>
    </message>
</context>
<context>
    <name>EnginePlots</name>
    <message>
        <source>All chats together</source>
        <translation>모든 대화 합계</translation>
    </message>
    <message>
        <source>From one token to the next, in each chat</source>
        <translation>대화별로 한 토큰에서 다음 토큰까지</translation>
    </message>
    <message>
        <source>Chats answered at once</source>
        <translation>동시에 답변하는 대화</translation>
    </message>
    <message>
        <source>Cache blocks that hold something</source>
        <translation>사용 중인 캐시 블록</translation>
    </message>
</context>
<context>
    <name>EngineRow</name>
    <message>
        <source>%1 in %2</source>
        <translation>%1(%2)</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>자동</translation>
    </message>
</context>
<context>
    <name>EngineSection</name>
    <message>
        <source>Engine</source>
        <translation>엔진</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>none yet</source>
        <translation>아직 없음</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Models…</source>
        <translation>모델…</translation>
    </message>
    <message>
        <source>Unload a model that nobody uses</source>
        <translation>쓰지 않는 모델 내리기</translation>
    </message>
    <message>
        <source>Gives its memory back. It is loaded again by itself when a chat asks.</source>
        <translation>메모리를 돌려줍니다. 대화가 필요로 하면 저절로 다시 불러옵니다.</translation>
    </message>
    <message>
        <source>Default: never</source>
        <translation>기본값: 안 함</translation>
    </message>
    <message>
        <source>What follows holds for every model whose card says nothing else.</source>
        <translation>아래 값은 카드에서 따로 정하지 않은 모든 모델에 적용됩니다.</translation>
    </message>
    <message>
        <source>Models that are loaded</source>
        <translation>불러온 모델</translation>
    </message>
    <message>
        <source>Apply now</source>
        <translation>지금 적용</translation>
    </message>
    <message>
        <source>Loads them again with these values</source>
        <translation>이 값으로 다시 불러옵니다</translation>
    </message>
</context>
<context>
    <name>FigureRow</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>FirstRunPage</name>
    <message>
        <source>Welcome to Quire</source>
        <translation>Quire에 오신 것을 환영합니다</translation>
    </message>
    <message>
        <source>Private</source>
        <translation>비공개</translation>
    </message>
    <message>
        <source>Models run on this computer, and nothing you write leaves it.</source>
        <translation>모델은 이 컴퓨터에서 실행되며, 쓴 글은 밖으로 나가지 않습니다.</translation>
    </message>
    <message>
        <source>Parallel</source>
        <translation>동시에</translation>
    </message>
    <message>
        <source>Many chats are answered at once; what they share is computed once.</source>
        <translation>여러 대화에 한꺼번에 답하고, 함께 쓰는 부분은 한 번만 계산합니다.</translation>
    </message>
    <message>
        <source>Durable</source>
        <translation>안전하게</translation>
    </message>
    <message>
        <source>What you write is on disk before it is answered, and survives a crash.</source>
        <translation>쓴 글은 답하기 전에 디스크에 저장되어 갑자기 꺼져도 남습니다.</translation>
    </message>
    <message>
        <source>Use a model you have</source>
        <translation>가지고 있는 모델 사용</translation>
    </message>
</context>
<context>
    <name>FirstRunPersonas</name>
    <message>
        <source>Personas to talk to at once, up to four, with one message field</source>
        <translation>한 입력란으로 동시에 대화할 페르소나 (네 명까지)</translation>
    </message>
</context>
<context>
    <name>FolderChip</name>
    <message>
        <source>Stop looking in %1. Nothing on the disk is changed.</source>
        <translation>%1에서 그만 찾기. 디스크의 파일은 그대로입니다.</translation>
    </message>
</context>
<context>
    <name>FolderEntry</name>
    <message>
        <source>New folder</source>
        <translation>새 폴더</translation>
    </message>
</context>
<context>
    <name>FolderField</name>
    <message>
        <source>The folder&apos;s path</source>
        <translation>폴더 경로</translation>
    </message>
    <message>
        <source>This desktop has no folder chooser: write a path such as ~/models, or drop the folder here</source>
        <translation>이 데스크톱에는 폴더 선택 창이 없습니다. ~/models 같은 경로를 쓰거나 폴더를 여기에 끌어 놓으십시오</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>추가</translation>
    </message>
</context>
<context>
    <name>FolderMenu</name>
    <message>
        <source>Rename</source>
        <translation>이름 바꾸기</translation>
    </message>
    <message>
        <source>Delete the folder, keep its chats</source>
        <translation>폴더만 삭제하고 대화는 남기기</translation>
    </message>
</context>
<context>
    <name>FolderRow</name>
    <message>
        <source>Folder %1, open, %2 chats</source>
        <translation>폴더 %1, 펼침, 대화 %2개</translation>
    </message>
    <message>
        <source>Folder %1, closed, %2 chats</source>
        <translation>폴더 %1, 접힘, 대화 %2개</translation>
    </message>
    <message>
        <source>New name of the folder</source>
        <translation>폴더의 새 이름</translation>
    </message>
</context>
<context>
    <name>FormulaBlock</name>
    <message>
        <source>Copy the formula&apos;s source</source>
        <translation>수식 원문 복사</translation>
    </message>
</context>
<context>
    <name>GenerationRow</name>
    <message>
        <source>none</source>
        <translation>없음</translation>
    </message>
</context>
<context>
    <name>GenerationSection</name>
    <message>
        <source>How answers are drawn</source>
        <translation>답변 생성 방식</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>모두 기본값으로</translation>
    </message>
</context>
<context>
    <name>HistoryPlot</name>
    <message>
        <source>%1 ago</source>
        <translation>%1 전</translation>
    </message>
    <message>
        <source>now</source>
        <translation>지금</translation>
    </message>
</context>
<context>
    <name>ImportCard</name>
    <message>
        <source>What is missing here comes in. Nothing that is here is overwritten.</source>
        <translation>여기 없는 것만 들어옵니다. 이미 있는 것은 덮어쓰지 않습니다.</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>가져오기</translation>
    </message>
    <message>
        <source>Add to the message</source>
        <translation>메시지에 첨부</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
</context>
<context>
    <name>ImportDrop</name>
    <message>
        <source>Drop to import its chats, or to add it to your message</source>
        <translation>놓으면 대화를 가져오거나 메시지에 첨부합니다</translation>
    </message>
</context>
<context>
    <name>LinkDialog</name>
    <message>
        <source>Open this link in your browser?</source>
        <translation>이 링크를 브라우저에서 열겠습니까?</translation>
    </message>
    <message>
        <source>It comes from a model&apos;s answer and may lead anywhere.</source>
        <translation>모델의 답변에 있는 링크이므로 어디로 이어질지 알 수 없습니다.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Copy link</source>
        <translation>링크 복사</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>열기</translation>
    </message>
</context>
<context>
    <name>Main</name>
    <message>
        <source>Quire</source>
        <translation>Quire</translation>
    </message>
    <message>
        <source>%1 — Quire</source>
        <translation>%1 — Quire</translation>
    </message>
</context>
<context>
    <name>MegabyteBox</name>
    <message>
        <source>MB</source>
        <translation>MB</translation>
    </message>
</context>
<context>
    <name>MessageMenu</name>
    <message>
        <source>Copy</source>
        <translation>복사</translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation>Markdown으로 복사</translation>
    </message>
    <message>
        <source>Copy with formatting</source>
        <translation>서식과 함께 복사</translation>
    </message>
    <message>
        <source>Edit the answer</source>
        <translation>답변 편집</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>편집</translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation>다시 답하기</translation>
    </message>
    <message>
        <source>Answer again with</source>
        <translation>다른 방식으로 다시 답하기</translation>
    </message>
    <message>
        <source>A steady hand (temperature 0.2)</source>
        <translation>차분하게 (온도 0.2)</translation>
    </message>
    <message>
        <source>A free hand (temperature 1.2)</source>
        <translation>자유롭게 (온도 1.2)</translation>
    </message>
    <message>
        <source>Three answers side by side</source>
        <translation>답변 세 개를 나란히</translation>
    </message>
    <message>
        <source>Go on with it</source>
        <translation>이어 쓰기</translation>
    </message>
    <message>
        <source>Fork from here</source>
        <translation>여기서 갈래 만들기</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>삭제</translation>
    </message>
</context>
<context>
    <name>ModelActions</name>
    <message>
        <source>Use</source>
        <translation>사용</translation>
    </message>
    <message>
        <source>New questions go to this model</source>
        <translation>새 질문을 이 모델에 보냅니다</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>내리기</translation>
    </message>
    <message>
        <source>Gives its memory back</source>
        <translation>메모리를 돌려줍니다</translation>
    </message>
    <message>
        <source>Close the options</source>
        <translation>옵션 닫기</translation>
    </message>
    <message>
        <source>Options: context, device, memory</source>
        <translation>옵션: 컨텍스트, 장치, 메모리</translation>
    </message>
    <message>
        <source>More about %1</source>
        <translation>%1 더 보기</translation>
    </message>
</context>
<context>
    <name>ModelDrop</name>
    <message>
        <source>Drop to load it from where it lies</source>
        <translation>놓으면 지금 있는 자리에서 불러옵니다</translation>
    </message>
</context>
<context>
    <name>ModelMenu</name>
    <message>
        <source>All models…</source>
        <translation>모든 모델…</translation>
    </message>
    <message>
        <source>Keep this chat with the model in use</source>
        <translation>이 대화를 지금 쓰는 모델로 유지</translation>
    </message>
</context>
<context>
    <name>ModelOptionRow</name>
    <message>
        <source>Default: %1</source>
        <translation>기본값: %1</translation>
    </message>
    <message>
        <source>Back to %1</source>
        <translation>%1(으)로 되돌리기</translation>
    </message>
</context>
<context>
    <name>ModelOptionsView</name>
    <message>
        <source>Context</source>
        <translation>컨텍스트</translation>
    </message>
    <message>
        <source>How many tokens a chat may hold</source>
        <translation>대화 하나가 담을 수 있는 토큰 수</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>a GPU if there is one</source>
        <translation>GPU가 있으면 GPU</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>스레드</translation>
    </message>
    <message>
        <source>Of the processor</source>
        <translation>프로세서의 스레드 수</translation>
    </message>
    <message>
        <source>Memory for chats</source>
        <translation>대화용 메모리</translation>
    </message>
    <message>
        <source>MiB for keys and values, of all chats together</source>
        <translation>모든 대화의 키와 값에 쓰는 양(MiB)</translation>
    </message>
    <message>
        <source>Memory for chats in MiB</source>
        <translation>대화용 메모리(MiB)</translation>
    </message>
    <message>
        <source>How its answers are drawn…</source>
        <translation>이 모델의 답변 생성 방식…</translation>
    </message>
    <message>
        <source>Tokens of a step</source>
        <translation>한 단계의 토큰</translation>
    </message>
    <message>
        <source>Computed at once: more reads long prompts faster, less lets answers flow evenly</source>
        <translation>한 번에 계산하는 수입니다. 크면 긴 프롬프트를 빨리 읽고, 작으면 답변이 고르게 나옵니다</translation>
    </message>
    <message>
        <source>Unload when idle</source>
        <translation>쉬는 동안 내리기</translation>
    </message>
    <message>
        <source>Gives its memory back; a chat that asks loads it again</source>
        <translation>메모리를 돌려줍니다. 대화가 필요로 하면 다시 불러옵니다</translation>
    </message>
    <message>
        <source>Memory precision</source>
        <translation>메모리 정밀도</translation>
    </message>
    <message>
        <source>8 bit holds almost two to almost four times as much; answers hardly differ</source>
        <translation>8비트는 거의 두 배에서 네 배를 담고, 답변은 거의 같습니다</translation>
    </message>
</context>
<context>
    <name>ModelProgress</name>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Gives up this load. What was loaded before goes on answering.</source>
        <translation>불러오기를 그만둡니다. 전에 불러온 모델이 계속 답변합니다.</translation>
    </message>
</context>
<context>
    <name>ModelSortSwitch</name>
    <message>
        <source>Order</source>
        <translation>정렬</translation>
    </message>
    <message>
        <source>Last used</source>
        <translation>최근 사용</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>크기</translation>
    </message>
</context>
<context>
    <name>ModelTileMenu</name>
    <message>
        <source>Show in the file manager</source>
        <translation>파일 관리자에서 보기</translation>
    </message>
    <message>
        <source>Copy its path</source>
        <translation>경로 복사</translation>
    </message>
    <message>
        <source>Remove from this list</source>
        <translation>이 목록에서 빼기</translation>
    </message>
</context>
<context>
    <name>ModelsHead</name>
    <message>
        <source>Models</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Stop looking</source>
        <translation>그만 찾기</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>다시 찾기</translation>
    </message>
    <message>
        <source>Looks for models where other applications keep them, and in your folders</source>
        <translation>다른 앱이 모델을 두는 곳과 추가한 폴더에서 모델을 찾습니다</translation>
    </message>
    <message>
        <source>Add a folder</source>
        <translation>폴더 추가</translation>
    </message>
    <message>
        <source>A folder with models</source>
        <translation>모델이 있는 폴더</translation>
    </message>
    <message>
        <source>Search models</source>
        <translation>모델 검색</translation>
    </message>
    <message>
        <source>No model is called that.</source>
        <translation>그런 이름의 모델이 없습니다.</translation>
    </message>
</context>
<context>
    <name>ModelsNotice</name>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Models</source>
        <translation>모델</translation>
    </message>
</context>
<context>
    <name>ModelsWelcome</name>
    <message>
        <source>Looking for models…</source>
        <translation>모델을 찾는 중…</translation>
    </message>
    <message>
        <source>No models yet</source>
        <translation>아직 모델이 없습니다</translation>
    </message>
    <message>
        <source>Quire has looked where LM Studio, Ollama, GPT4All, Jan, llama.cpp and the Hugging Face libraries keep theirs. Drop a GGUF file or a folder onto the window, or add a folder: models are loaded from where they lie, nothing is copied.</source>
        <translation>LM Studio, Ollama, GPT4All, Jan, llama.cpp, Hugging Face 라이브러리가 모델을 두는 곳을 찾아보았습니다. GGUF 파일이나 폴더를 화면에 끌어 놓거나 폴더를 추가하십시오. 모델은 있는 자리에서 불러오며 아무것도 복사하지 않습니다.</translation>
    </message>
</context>
<context>
    <name>NewChatButton</name>
    <message>
        <source>New chat</source>
        <translation>새 대화</translation>
    </message>
    <message>
        <source>Ctrl N</source>
        <translation>Ctrl N</translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Put this message away</source>
        <translation>이 알림 치우기</translation>
    </message>
</context>
<context>
    <name>NumberBox</name>
    <message>
        <source>automatic</source>
        <translation>자동</translation>
    </message>
</context>
<context>
    <name>PaneArea</name>
    <message>
        <source>Edge between columns %1 and %2</source>
        <translation>%1열과 %2열 사이의 경계</translation>
    </message>
    <message>
        <source>Edge between rows %1 and %2</source>
        <translation>%1행과 %2행 사이의 경계</translation>
    </message>
    <message>
        <source>Open here</source>
        <translation>이 창에서 열기</translation>
    </message>
    <message>
        <source>Open in a new pane</source>
        <translation>새 창에서 열기</translation>
    </message>
</context>
<context>
    <name>PaneCountButton</name>
    <message>
        <source>%1 (Ctrl+%2)</source>
        <translation>%1 (Ctrl+%2)</translation>
    </message>
    <message>
        <source>One pane</source>
        <translation>창 하나</translation>
    </message>
    <message>
        <source>%1 panes</source>
        <translation>창 %1개</translation>
    </message>
</context>
<context>
    <name>PaneSwitch</name>
    <message>
        <source>One more pane (Ctrl+)</source>
        <translation>창 하나 더 열기 (Ctrl+)</translation>
    </message>
</context>
<context>
    <name>PaneTab</name>
    <message>
        <source>%1, being answered</source>
        <translation>%1, 답변 중</translation>
    </message>
</context>
<context>
    <name>PaneTabs</name>
    <message>
        <source>Panes</source>
        <translation>창</translation>
    </message>
</context>
<context>
    <name>PausedBar</name>
    <message>
        <source>%1 Nothing is lost; it goes on by itself as soon as it can.</source>
        <translation>%1 잃은 것은 없으며 가능해지는 대로 저절로 이어집니다.</translation>
    </message>
    <message>
        <source>Try now</source>
        <translation>지금 시도</translation>
    </message>
</context>
<context>
    <name>PdfText</name>
    <message>
        <source>%1 cannot be read without pdftotext. Install the package poppler-utils.</source>
        <translation>pdftotext가 없어 %1을(를) 읽을 수 없습니다. poppler-utils 패키지를 설치하십시오.</translation>
    </message>
    <message>
        <source>Reading %1 was stopped.</source>
        <translation>%1 읽기를 멈췄습니다.</translation>
    </message>
    <message>
        <source>%1 takes too long to read. Save a part of it as a PDF of its own, and add that.</source>
        <translation>%1을(를) 읽는 데 너무 오래 걸립니다. 일부를 따로 PDF로 저장해 추가하십시오.</translation>
    </message>
    <message>
        <source>%1 has more than 8 MB of text. Add a part of it.</source>
        <translation>%1의 텍스트가 8 MB를 넘습니다. 일부만 추가하십시오.</translation>
    </message>
    <message>
        <source>%1 has more than %2 pages. Save a part of it as a PDF of its own, and add that.</source>
        <translation>%1은(는) %2쪽을 넘습니다. 일부를 따로 PDF로 저장해 추가하십시오.</translation>
    </message>
    <message>
        <source>%1 has no text, only pictures of pages. Recognise its text first.</source>
        <translation>%1에는 글자가 없고 쪽의 그림만 있습니다. 먼저 글자를 인식하십시오.</translation>
    </message>
    <message>
        <source>%1 is locked with a password. Save it without one, and add that.</source>
        <translation>%1은(는) 암호로 잠겨 있습니다. 암호 없이 저장해 추가하십시오.</translation>
    </message>
    <message>
        <source>%1 is damaged: no PDF can be read in it.</source>
        <translation>%1이(가) 손상되어 PDF를 읽을 수 없습니다.</translation>
    </message>
</context>
<context>
    <name>PersonaCard</name>
    <message>
        <source>%1, chosen</source>
        <translation>%1, 선택됨</translation>
    </message>
</context>
<context>
    <name>PersonaLook</name>
    <message>
        <source>Colour %1</source>
        <translation>색 %1</translation>
    </message>
</context>
<context>
    <name>PersonaMenu</name>
    <message>
        <source>No persona</source>
        <translation>페르소나 없음</translation>
    </message>
</context>
<context>
    <name>PersonaSheet</name>
    <message>
        <source>Name</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>Name of the persona</source>
        <translation>페르소나 이름</translation>
    </message>
    <message>
        <source>Plain teacher</source>
        <translation>쉬운 선생님</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>설명</translation>
    </message>
    <message>
        <source>What stands on its card; the model does not read it.</source>
        <translation>카드에 적히는 글입니다. 모델은 읽지 않습니다.</translation>
    </message>
    <message>
        <source>Icon and colour</source>
        <translation>아이콘과 색</translation>
    </message>
    <message>
        <source>Instruction</source>
        <translation>지시문</translation>
    </message>
    <message>
        <source>Instruction: the system prompt</source>
        <translation>지시문: 시스템 프롬프트</translation>
    </message>
    <message>
        <source>You are a patient teacher. Explain things in simple words…</source>
        <translation>당신은 참을성 있는 선생님입니다. 쉬운 말로 설명하세요…</translation>
    </message>
    <message>
        <source>Keep warm</source>
        <translation>예열 유지</translation>
    </message>
    <message>
        <source>It is computed while nothing else is, and stays in memory as long as there is any other room.</source>
        <translation>다른 일이 없을 때 미리 계산해 두고, 다른 자리가 있는 한 메모리에 남깁니다.</translation>
    </message>
</context>
<context>
    <name>PersonaTile</name>
    <message>
        <source>What can be done with %1</source>
        <translation>%1에 할 수 있는 일</translation>
    </message>
    <message>
        <source>More</source>
        <translation>더 보기</translation>
    </message>
</context>
<context>
    <name>PersonaTileMenu</name>
    <message>
        <source>New chat with it</source>
        <translation>이 페르소나로 새 대화</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>편집</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>복제</translation>
    </message>
    <message>
        <source>Keep warm</source>
        <translation>예열 유지</translation>
    </message>
    <message>
        <source>Move forward</source>
        <translation>앞으로 옮기기</translation>
    </message>
    <message>
        <source>Move back</source>
        <translation>뒤로 옮기기</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>삭제</translation>
    </message>
    <message>
        <source>Del</source>
        <translation>Del</translation>
    </message>
</context>
<context>
    <name>PersonaWarmth</name>
    <message>
        <source>kept warm</source>
        <translation>예열 유지 중</translation>
    </message>
</context>
<context>
    <name>PersonasPage</name>
    <message>
        <source>Personas</source>
        <translation>페르소나</translation>
    </message>
    <message>
        <source>Who answers: a name, an instruction, and how answers are drawn. Chats under one persona share its instruction in memory, so that it is computed once for all of them.</source>
        <translation>누가 답할지 정합니다. 이름과 지시문, 답변 생성 방식으로 이루어집니다. 같은 페르소나를 쓰는 대화는 메모리에서 지시문을 함께 쓰므로 한 번만 계산합니다.</translation>
    </message>
    <message>
        <source>From presets</source>
        <translation>프리셋에서 추가</translation>
    </message>
    <message>
        <source>New persona</source>
        <translation>새 페르소나</translation>
    </message>
    <message>
        <source>Search personas</source>
        <translation>페르소나 검색</translation>
    </message>
    <message>
        <source>Search names and instructions</source>
        <translation>이름과 지시문 검색</translation>
    </message>
</context>
<context>
    <name>PickButton</name>
    <message>
        <source>%1, chosen</source>
        <translation>%1, 선택됨</translation>
    </message>
</context>
<context>
    <name>PresetMenuItem</name>
    <message>
        <source>added</source>
        <translation>추가됨</translation>
    </message>
</context>
<context>
    <name>PrivacySection</name>
    <message>
        <source>Privacy</source>
        <translation>개인정보</translation>
    </message>
    <message>
        <source>Nothing you write leaves this computer. Models run here, chats are kept here, and Quire opens no connection: it sends no statistics and looks for no updates. Links in answers open only after you agreed, in your browser.</source>
        <translation>쓴 글은 이 컴퓨터 밖으로 나가지 않습니다. 모델은 여기서 실행되고 대화는 여기에 보관됩니다. Quire는 어디에도 연결하지 않으며 통계를 보내거나 업데이트를 찾지 않습니다. 답변의 링크는 동의한 뒤에만 브라우저에서 열립니다.</translation>
    </message>
</context>
<context>
    <name>PromptCard</name>
    <message>
        <source>Why the last prompts took their time</source>
        <translation>최근 프롬프트에 시간이 걸린 이유</translation>
    </message>
</context>
<context>
    <name>PromptEntry</name>
    <message>
        <source>%1, %2. %3</source>
        <translation>%1, %2. %3</translation>
    </message>
</context>
<context>
    <name>QuickOpenContent</name>
    <message>
        <source>What was found</source>
        <translation>찾은 것</translation>
    </message>
</context>
<context>
    <name>QuickOpenField</name>
    <message>
        <source>Search chats and messages, or type &gt; for commands</source>
        <translation>대화와 메시지 검색, &gt;를 쓰면 명령</translation>
    </message>
</context>
<context>
    <name>QuickOpenFoot</name>
    <message>
        <source>↑ ↓ choose   ↵ do it   Esc close</source>
        <translation>↑ ↓ 선택   ↵ 실행   Esc 닫기</translation>
    </message>
    <message>
        <source>↑ ↓ choose   ↵ open   Esc close   &gt; commands</source>
        <translation>↑ ↓ 선택   ↵ 열기   Esc 닫기   &gt; 명령</translation>
    </message>
</context>
<context>
    <name>QuitCard</name>
    <message>
        <source>Keep trying</source>
        <translation>계속 시도</translation>
    </message>
</context>
<context>
    <name>RenameField</name>
    <message>
        <source>New name of the chat</source>
        <translation>대화의 새 이름</translation>
    </message>
</context>
<context>
    <name>RescueBackups</name>
    <message>
        <source>There is no backup.</source>
        <translation>백업이 없습니다.</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>백업</translation>
    </message>
</context>
<context>
    <name>SearchBox</name>
    <message>
        <source>Empty the search</source>
        <translation>검색어 지우기</translation>
    </message>
</context>
<context>
    <name>SelectionBar</name>
    <message>
        <source>Archive the selected chats</source>
        <translation>선택한 대화 보관</translation>
    </message>
    <message>
        <source>Delete the selected chats</source>
        <translation>선택한 대화 삭제</translation>
    </message>
    <message>
        <source>Select none</source>
        <translation>선택 해제</translation>
    </message>
    <message>
        <source>Export the selected chats</source>
        <translation>선택한 대화 내보내기</translation>
    </message>
</context>
<context>
    <name>SettingRow</name>
    <message>
        <source>Reset</source>
        <translation>기본값으로</translation>
    </message>
    <message>
        <source>Reset %1</source>
        <translation>%1 기본값으로</translation>
    </message>
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source>Settings</source>
        <translation>설정</translation>
    </message>
    <message>
        <source>Everything applies at once. What you changed is marked, with its default and a way back.</source>
        <translation>모든 설정은 바로 적용됩니다. 바꾼 것은 기본값과 되돌리는 단추를 함께 표시합니다.</translation>
    </message>
</context>
<context>
    <name>SheetButtons</name>
    <message>
        <source>Save</source>
        <translation>저장</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
</context>
<context>
    <name>ShortcutsPage</name>
    <message>
        <source>Shortcuts</source>
        <translation>단축키</translation>
    </message>
    <message>
        <source>Everything in Quire can be done from the keyboard. Press %1 for a list of all commands.</source>
        <translation>Quire의 모든 일은 키보드로 할 수 있습니다. %1 키를 누르면 모든 명령의 목록이 나옵니다.</translation>
    </message>
    <message>
        <source>Search the shortcuts</source>
        <translation>단축키 검색</translation>
    </message>
    <message>
        <source>No shortcut is called that.</source>
        <translation>그런 이름의 단축키가 없습니다.</translation>
    </message>
</context>
<context>
    <name>SideSheet</name>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>Chats</source>
        <translation>대화</translation>
    </message>
    <message>
        <source>No chats yet. What you write is kept here, on this computer only.</source>
        <translation>아직 대화가 없습니다. 쓴 글은 이 컴퓨터에만 보관합니다.</translation>
    </message>
</context>
<context>
    <name>SidebarFooter</name>
    <message>
        <source>Personas</source>
        <translation>페르소나</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>엔진</translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation>단축키</translation>
    </message>
    <message>
        <source>Shortcuts (%1)</source>
        <translation>단축키 (%1)</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>설정</translation>
    </message>
</context>
<context>
    <name>SidebarHead</name>
    <message>
        <source>Quire</source>
        <translation>Quire</translation>
    </message>
    <message>
        <source>Search chats and messages</source>
        <translation>대화와 메시지 검색</translation>
    </message>
    <message>
        <source>Search (%1)</source>
        <translation>검색 (%1)</translation>
    </message>
    <message>
        <source>Hide the sidebar</source>
        <translation>사이드바 숨기기</translation>
    </message>
    <message>
        <source>Hide the sidebar (%1)</source>
        <translation>사이드바 숨기기 (%1)</translation>
    </message>
</context>
<context>
    <name>SidebarRail</name>
    <message>
        <source>Chats</source>
        <translation>대화</translation>
    </message>
    <message>
        <source>Show the sidebar</source>
        <translation>사이드바 보이기</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>새 대화</translation>
    </message>
    <message>
        <source>Search chats and messages</source>
        <translation>대화와 메시지 검색</translation>
    </message>
</context>
<context>
    <name>SpanSwitch</name>
    <message>
        <source>How far back the lines go</source>
        <translation>그래프의 기간</translation>
    </message>
    <message>
        <source>60 seconds</source>
        <translation>60초</translation>
    </message>
    <message>
        <source>10 minutes</source>
        <translation>10분</translation>
    </message>
</context>
<context>
    <name>StorageSection</name>
    <message>
        <source>Data</source>
        <translation>데이터</translation>
    </message>
    <message>
        <source>Your chats</source>
        <translation>내 대화</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>폴더 열기</translation>
    </message>
    <message>
        <source>Disk for personas</source>
        <translation>페르소나용 디스크</translation>
    </message>
    <message>
        <source>What was computed of instructions is kept, so that they are warm again after a restart.</source>
        <translation>다시 시작해도 예열되어 있도록 지시문을 계산한 결과를 보관합니다.</translation>
    </message>
    <message>
        <source>Disk for personas, in megabytes</source>
        <translation>페르소나용 디스크(MB)</translation>
    </message>
    <message>
        <source>Disk for chats</source>
        <translation>대화용 디스크</translation>
    </message>
    <message>
        <source>What was computed of chats is kept, so that they go on at once after a restart.</source>
        <translation>다시 시작해도 바로 이어 가도록 대화를 계산한 결과를 보관합니다.</translation>
    </message>
    <message>
        <source>Disk for chats, in megabytes</source>
        <translation>대화용 디스크(MB)</translation>
    </message>
</context>
<context>
    <name>StoreErrorPage</name>
    <message>
        <source>Your chats could not be opened</source>
        <translation>대화를 열지 못했습니다</translation>
    </message>
    <message>
        <source>Nothing was changed. Quire keeps nothing anywhere else, so it waits rather than begin without your chats.</source>
        <translation>바뀐 것은 없습니다. Quire는 다른 곳에 아무것도 두지 않으므로, 대화 없이 시작하는 대신 기다립니다.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>끝내기</translation>
    </message>
    <message>
        <source>Look at what can be read</source>
        <translation>읽을 수 있는 것 보기</translation>
    </message>
</context>
<context>
    <name>StoreViewChat</name>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
</context>
<context>
    <name>StoreViewPage</name>
    <message>
        <source>What can be read of the damaged file. Nothing is changed here.</source>
        <translation>손상된 파일에서 읽을 수 있는 내용입니다. 여기서는 아무것도 바뀌지 않습니다.</translation>
    </message>
    <message>
        <source>Copy this chat</source>
        <translation>이 대화 복사</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>뒤로</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>대화</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>메시지</translation>
    </message>
</context>
<context>
    <name>TableBlock</name>
    <message>
        <source>Copy the table</source>
        <translation>표 복사</translation>
    </message>
</context>
<context>
    <name>TargetChip</name>
    <message>
        <source>Which chats your message goes to (Ctrl+Shift+A)</source>
        <translation>메시지를 보낼 대화 (Ctrl+Shift+A)</translation>
    </message>
    <message>
        <source>To this chat</source>
        <translation>이 대화에</translation>
    </message>
    <message>
        <source>Ctrl+Shift+A</source>
        <translation>Ctrl+Shift+A</translation>
    </message>
</context>
<context>
    <name>ThoughtBlock</name>
    <message>
        <source>Shows the model&apos;s reasoning</source>
        <translation>모델의 추론을 보입니다</translation>
    </message>
    <message>
        <source>Hides the model&apos;s reasoning</source>
        <translation>모델의 추론을 숨깁니다</translation>
    </message>
</context>
<context>
    <name>ThroughputView</name>
    <message>
        <source>Throughput</source>
        <translation>처리량</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>Conversation</source>
        <translation>대화 내용</translation>
    </message>
    <message>
        <source>Jump to latest</source>
        <translation>맨 아래로</translation>
    </message>
</context>
<context>
    <name>TransferDialog</name>
    <message>
        <source>All files (*)</source>
        <translation>모든 파일 (*)</translation>
    </message>
    <message>
        <source>JSON, comes back whole (*.json)</source>
        <translation>JSON, 그대로 다시 가져오기 (*.json)</translation>
    </message>
    <message>
        <source>Markdown, for reading (*.md)</source>
        <translation>Markdown, 읽기용 (*.md)</translation>
    </message>
    <message>
        <source>Import chats</source>
        <translation>대화 가져오기</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>내보내기</translation>
    </message>
    <message>
        <source>Exports of Quire (*.json *.md)</source>
        <translation>Quire에서 내보낸 파일 (*.json *.md)</translation>
    </message>
</context>
<context>
    <name>TransferState</name>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
</context>
<context>
    <name>TransferToast</name>
    <message>
        <source>Put away</source>
        <translation>치우기</translation>
    </message>
</context>
<context>
    <name>UndoButton</name>
    <message>
        <source>Undo</source>
        <translation>되돌리기</translation>
    </message>
</context>
<context>
    <name>UserMessage</name>
    <message>
        <source>Copy your message</source>
        <translation>내 메시지 복사</translation>
    </message>
    <message>
        <source>Edit into a new version</source>
        <translation>새 버전으로 편집</translation>
    </message>
</context>
<context>
    <name>VersionSwitch</name>
    <message>
        <source>Earlier version</source>
        <translation>이전 버전</translation>
    </message>
    <message>
        <source>%1 / %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Later version</source>
        <translation>다음 버전</translation>
    </message>
</context>
<context>
    <name>WelcomeView</name>
    <message>
        <source>Begin a conversation</source>
        <translation>대화 시작하기</translation>
    </message>
    <message>
        <source>Who answers</source>
        <translation>답변할 페르소나</translation>
    </message>
    <message>
        <source>To begin with</source>
        <translation>첫 질문 예시</translation>
    </message>
    <message>
        <source>Ask: %1</source>
        <translation>질문: %1</translation>
    </message>
</context>
<context>
    <name>quire</name>
    <message>
        <source>Comes with Quire</source>
        <translation>Quire에 들어 있음</translation>
    </message>
    <message>
        <source>Opened by you</source>
        <translation>직접 연 것</translation>
    </message>
</context>
<context>
    <name>quire::AnswerRun</name>
    <message>
        <source>The engine could not finish this answer.</source>
        <translation>엔진이 이 답변을 끝내지 못했습니다.</translation>
    </message>
    <message>
        <source>Ended at the longest answer that is allowed.</source>
        <translation>허용된 답변 길이에 이르러 끝났습니다.</translation>
    </message>
    <message>
        <source>Ended because the model&apos;s context is full. Your next message leaves the oldest ones out.</source>
        <translation>모델의 컨텍스트가 가득 차 끝났습니다. 다음 메시지부터 가장 오래된 메시지를 뺍니다.</translation>
    </message>
</context>
<context>
    <name>quire::AppModel</name>
    <message>
        <source>What is the capital of France?</source>
        <translation>프랑스의 수도는 어디인가요?</translation>
    </message>
    <message>
        <source>Tell me a short story about a fox</source>
        <translation>여우가 나오는 짧은 이야기를 들려주세요</translation>
    </message>
    <message>
        <source>What is Quire?</source>
        <translation>Quire는 무엇인가요?</translation>
    </message>
    <message>
        <source>Make a list of five fruits</source>
        <translation>과일 다섯 가지를 목록으로 써 주세요</translation>
    </message>
    <message>
        <source>Theme: light. Press for dark.</source>
        <translation>테마: 밝게. 누르면 어둡게.</translation>
    </message>
    <message>
        <source>Theme: dark. Press to follow the system.</source>
        <translation>테마: 어둡게. 누르면 시스템에 맞춤.</translation>
    </message>
    <message>
        <source>Theme: follows the system. Press for light.</source>
        <translation>테마: 시스템에 맞춤. 누르면 밝게.</translation>
    </message>
</context>
<context>
    <name>quire::AskPlan</name>
    <message>
        <source>Write 2 to %1 temperatures of 0 to 2, with commas between them.</source>
        <translation>0에서 2 사이의 온도를 쉼표로 나누어 2개에서 %1개까지 쓰십시오.</translation>
    </message>
    <message>
        <source>Choose at least two personas.</source>
        <translation>페르소나를 둘 이상 고르십시오.</translation>
    </message>
    <message>
        <source>Ask %1</source>
        <translation>답변 %1개</translation>
    </message>
    <message>
        <source>One answer, as ever.</source>
        <translation>늘 하던 대로 답변 하나를 받습니다.</translation>
    </message>
    <message>
        <source>Unless the conversation is very short, it is read once for all of them.</source>
        <translation>아주 짧은 대화가 아니면 모두를 위해 한 번만 읽습니다.</translation>
    </message>
    <message>
        <source>%1 answers that differ by chance.</source>
        <translation>무작위로 서로 다른 답변 %1개를 받습니다.</translation>
    </message>
    <message>
        <source>%1 answers, from steady to free.</source>
        <translation>차분한 답변부터 자유로운 답변까지 %1개를 받습니다.</translation>
    </message>
    <message>
        <source>An answer by each of %1 personas, which each read the conversation anew.</source>
        <translation>페르소나 %1개가 저마다 대화를 다시 읽고 답변합니다.</translation>
    </message>
    <message>
        <source>Temperature %1</source>
        <translation>온도 %1</translation>
    </message>
    <message>
        <source>Answer %1</source>
        <translation>답변 %1</translation>
    </message>
    <message>
        <source>One answer</source>
        <translation>답변 하나</translation>
    </message>
</context>
<context>
    <name>quire::AttachmentList</name>
    <message>
        <source>Reading…</source>
        <translation>읽는 중…</translation>
    </message>
    <message>
        <source>≈ %1 tokens</source>
        <translation>≈ 토큰 %1개</translation>
    </message>
    <message>
        <source>≈ %1 tokens, more than fits: the model reads %2</source>
        <translation>≈ 토큰 %1개, 너무 큽니다: 모델은 %2개를 읽습니다</translation>
    </message>
    <message>
        <source>Only files of this computer can be added.</source>
        <translation>이 컴퓨터의 파일만 추가할 수 있습니다.</translation>
    </message>
    <message>
        <source>At most %1 files go with one message.</source>
        <translation>메시지 하나에 파일 %1개까지 추가할 수 있습니다.</translation>
    </message>
    <message>
        <source>Take out %1, which could not be read.</source>
        <translation>읽을 수 없는 %1을(를) 빼십시오.</translation>
    </message>
    <message>
        <source>The files have ≈ %1 tokens, and the model reads %2. Take some out, or add a part.</source>
        <translation>파일은 약 %1토큰이고 모델은 %2토큰을 읽습니다. 일부를 빼거나 한 부분만 추가하십시오.</translation>
    </message>
</context>
<context>
    <name>quire::AttachmentReader</name>
    <message>
        <source>%1, %2 lines</source>
        <translation>%1, %2줄</translation>
    </message>
    <message>
        <source>%1, ≈ %2 tokens</source>
        <translation>%1, ≈ 토큰 %2개</translation>
    </message>
</context>
<context>
    <name>quire::BackupListModel</name>
    <message>
        <source>%1 · cannot be read</source>
        <translation>%1 · 읽을 수 없음</translation>
    </message>
    <message>
        <source>1 chat</source>
        <translation>대화 1개</translation>
    </message>
    <message>
        <source>%1 chats</source>
        <translation>대화 %1개</translation>
    </message>
    <message>
        <source>%1 · %2 · before an update</source>
        <translation>%1 · %2 · 업데이트 전</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>%1 · %2 · made when you asked</source>
        <translation>%1 · %2 · 직접 만든 백업</translation>
    </message>
</context>
<context>
    <name>quire::BlockDisplay</name>
    <message>
        <source>%1 lines</source>
        <translation>%1줄</translation>
    </message>
</context>
<context>
    <name>quire::BlockLegend</name>
    <message>
        <source>other chats</source>
        <translation>다른 대화</translation>
    </message>
    <message>
        <source>free</source>
        <translation>비어 있음</translation>
    </message>
    <message>
        <source>kept for later</source>
        <translation>나중을 위해 보관</translation>
    </message>
    <message>
        <source>kept, on disk too</source>
        <translation>보관, 디스크에도</translation>
    </message>
    <message>
        <source>shared by chats</source>
        <translation>대화끼리 공유</translation>
    </message>
    <message>
        <source>of no chat</source>
        <translation>대화 없음</translation>
    </message>
</context>
<context>
    <name>quire::BlockMapItem</name>
    <message>
        <source>Each square stands for %1 blocks.</source>
        <translation>네모 하나가 블록 %1개를 나타냅니다.</translation>
    </message>
</context>
<context>
    <name>quire::BlockMapModel</name>
    <message>
        <source>%1 of %2</source>
        <translation>%2 중 %1</translation>
    </message>
    <message>
        <source>There are no cache blocks: no model is loaded.</source>
        <translation>캐시 블록이 없습니다. 불러온 모델이 없습니다.</translation>
    </message>
    <message>
        <source>Of %1 cache blocks %2 are shared by several answers, %3 belong to one answer, %4 are kept for later, %5 more are kept and on disk too, and %6 are free.</source>
        <translation>캐시 블록 %1개 가운데 %2개는 여러 답변이 공유하고, %3개는 답변 하나의 것이고, %4개는 나중을 위해 보관하고, %5개는 디스크에도 있으며, %6개는 비어 있습니다.</translation>
    </message>
    <message>
        <source>Sharing saves %1 now: %2 are there once instead of in each answer.</source>
        <translation>지금 공유로 %1를 아낍니다. %2가 답변마다 있는 대신 한 번만 있습니다.</translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>“%1”</translation>
    </message>
    <message>
        <source>free</source>
        <translation>비어 있음</translation>
    </message>
    <message>
        <source>kept for later</source>
        <translation>나중을 위해 보관</translation>
    </message>
    <message>
        <source>kept for %1</source>
        <translation>%1 몫으로 보관</translation>
    </message>
    <message>
        <source>in use, of no chat</source>
        <translation>사용 중, 대화 없음</translation>
    </message>
    <message>
        <source>in use by %1</source>
        <translation>%1에서 사용 중</translation>
    </message>
    <message>
        <source>shared by %1</source>
        <translation>%1에서 공유</translation>
    </message>
    <message>
        <source>shared by %1 answers</source>
        <translation>답변 %1개가 공유</translation>
    </message>
    <message>
        <source>Block %1</source>
        <translation>블록 %1</translation>
    </message>
    <message>
        <source>never given up</source>
        <translation>버리지 않음</translation>
    </message>
    <message>
        <source>on disk too</source>
        <translation>디스크에도 있음</translation>
    </message>
    <message>
        <source>in the computer&apos;s memory too</source>
        <translation>컴퓨터 메모리에도 있음</translation>
    </message>
    <message>
        <source>the system prompt</source>
        <translation>시스템 프롬프트</translation>
    </message>
    <message>
        <source>message %1</source>
        <translation>메시지 %1</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>외 %1</translation>
    </message>
    <message>
        <source>tokens %1 to %2</source>
        <translation>토큰 %1~%2</translation>
    </message>
    <message>
        <source>This block holds nothing.</source>
        <translation>이 블록은 비어 있습니다.</translation>
    </message>
    <message>
        <source>This block holds no whole character.</source>
        <translation>이 블록에는 온전한 글자가 없습니다.</translation>
    </message>
</context>
<context>
    <name>quire::CacheTypesTexts</name>
    <message>
        <source>32 bit</source>
        <translation>32비트</translation>
    </message>
    <message>
        <source>16 bit</source>
        <translation>16비트</translation>
    </message>
    <message>
        <source>8 bit</source>
        <translation>8비트</translation>
    </message>
    <message>
        <source>%1, not on this device</source>
        <translation>%1, 이 장치에서는 안 됨</translation>
    </message>
</context>
<context>
    <name>quire::ChatDates</name>
    <message>
        <source>Today</source>
        <translation>오늘</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>어제</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>지난 7일</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%2년 %1</translation>
    </message>
    <message>
        <source>d MMM</source>
        <translation>M월 d일</translation>
    </message>
    <message>
        <source>MMM yyyy</source>
        <translation>yyyy년 M월</translation>
    </message>
    <message>
        <source>ddd</source>
        <translation>dddd</translation>
    </message>
</context>
<context>
    <name>quire::ChatLibrary</name>
    <message>
        <source>New chat</source>
        <translation>새 대화</translation>
    </message>
    <message>
        <source>“%1” was deleted.</source>
        <translation>“%1” 대화를 삭제했습니다.</translation>
    </message>
    <message>
        <source>“%1” was archived.</source>
        <translation>“%1” 대화를 보관했습니다.</translation>
    </message>
    <message>
        <source>%1 were archived.</source>
        <translation>%1를 보관했습니다.</translation>
    </message>
    <message>
        <source>%1 were deleted.</source>
        <translation>%1를 삭제했습니다.</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>새 폴더</translation>
    </message>
    <message>
        <source>The folder “%1” was deleted.</source>
        <translation>“%1” 폴더를 삭제했습니다.</translation>
    </message>
    <message>
        <source>The folder “%1” was deleted; its chats stay.</source>
        <translation>“%1” 폴더를 삭제했습니다. 대화는 그대로 있습니다.</translation>
    </message>
    <message>
        <source>%1 chats</source>
        <translation>대화 %1개</translation>
    </message>
</context>
<context>
    <name>quire::ChatListModel</name>
    <message>
        <source>New chat</source>
        <translation>새 대화</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>고정됨</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>폴더</translation>
    </message>
    <message>
        <source>%1 archived</source>
        <translation>보관된 대화 %1개</translation>
    </message>
    <message>
        <source>1 chat selected</source>
        <translation>대화 1개 선택됨</translation>
    </message>
    <message>
        <source>%1 selected</source>
        <translation>%1개 선택됨</translation>
    </message>
    <message>
        <source>Draft: %1</source>
        <translation>초안: %1</translation>
    </message>
</context>
<context>
    <name>quire::ChatModel</name>
    <message>
        <source>New chat</source>
        <translation>새 대화</translation>
    </message>
    <message>
        <source>No persona</source>
        <translation>페르소나 없음</translation>
    </message>
    <message>
        <source>Who answers in this chat</source>
        <translation>이 대화에서 답변할 페르소나</translation>
    </message>
    <message>
        <source>Who answers in this chat. A change applies from the next answer on, and the conversation is read anew once.</source>
        <translation>이 대화에서 답변할 페르소나입니다. 바꾸면 다음 답변부터 적용되고 대화를 한 번 다시 읽습니다.</translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation>메시지 입력</translation>
    </message>
    <message>
        <source>Write a reply</source>
        <translation>답장 입력</translation>
    </message>
    <message>
        <source>No model is loaded: chats can be read, not continued.</source>
        <translation>불러온 모델이 없습니다. 대화를 읽을 수는 있지만 이어 갈 수는 없습니다.</translation>
    </message>
    <message>
        <source>Answering. You can already write what comes next.</source>
        <translation>답변 중입니다. 다음 메시지를 미리 쓸 수 있습니다.</translation>
    </message>
    <message>
        <source>Your edit becomes a new version; the old one is kept.</source>
        <translation>편집한 내용은 새 버전이 되고 이전 버전은 남습니다.</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter begins a line</source>
        <translation>Enter로 보내기, Shift+Enter로 줄 바꿈</translation>
    </message>
    <message>
        <source>Your message was not sent, because it could not be saved. %1</source>
        <translation>메시지를 저장하지 못해 보내지 않았습니다. %1</translation>
    </message>
    <message>
        <source>In the background</source>
        <translation>백그라운드</translation>
    </message>
    <message>
        <source>That message is in another version of this chat, which can be shown when the answer is done.</source>
        <translation>그 메시지는 이 대화의 다른 버전에 있습니다. 답변이 끝나면 볼 수 있습니다.</translation>
    </message>
    <message>
        <source>Paused. The answer goes on from where it is when you resume.</source>
        <translation>일시 정지했습니다. 다시 시작하면 멈춘 곳부터 이어집니다.</translation>
    </message>
    <message>
        <source>Your edit becomes a version of the answer; nothing is asked.</source>
        <translation>편집한 내용은 답변의 새 버전이 됩니다. 모델에 묻지 않습니다.</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>일시 정지</translation>
    </message>
    <message>
        <source>The answer could not go on, because that could not be saved. %1</source>
        <translation>저장하지 못해 답변을 이어 쓰지 못했습니다. %1</translation>
    </message>
    <message>
        <source>Delete this message?</source>
        <translation>이 메시지를 삭제하겠습니까?</translation>
    </message>
    <message>
        <source>Delete this message and the one that follows it?</source>
        <translation>이 메시지와 다음 메시지를 삭제하겠습니까?</translation>
    </message>
    <message>
        <source>Delete this message and the %1 that follow it, versions included?</source>
        <translation>이 메시지와 뒤따르는 메시지 %1개를 버전까지 모두 삭제하겠습니까?</translation>
    </message>
    <message>
        <source>Write what is to be done with it, or send it as it is.</source>
        <translation>무엇을 할지 쓰거나, 그대로 보내십시오.</translation>
    </message>
    <message>
        <source>Your version was not saved, and its words are in the composer again. %1</source>
        <translation>편집한 글을 저장하지 못해 입력란에 되돌려 놓았습니다. %1</translation>
    </message>
</context>
<context>
    <name>quire::Commands</name>
    <message>
        <source>Chats</source>
        <translation>대화</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>메시지</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>화면</translation>
    </message>
    <message>
        <source>Panes</source>
        <translation>창</translation>
    </message>
    <message>
        <source>In the list of chats</source>
        <translation>대화 목록에서</translation>
    </message>
    <message>
        <source>Search chats and messages</source>
        <translation>대화와 메시지 검색</translation>
    </message>
    <message>
        <source>All commands</source>
        <translation>모든 명령</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>새 대화</translation>
    </message>
    <message>
        <source>Next chat</source>
        <translation>다음 대화</translation>
    </message>
    <message>
        <source>Previous chat</source>
        <translation>이전 대화</translation>
    </message>
    <message>
        <source>Rename this chat</source>
        <translation>이 대화의 이름 바꾸기</translation>
    </message>
    <message>
        <source>Pin this chat, or let it go</source>
        <translation>이 대화 고정하거나 해제</translation>
    </message>
    <message>
        <source>Archive this chat, or bring it back</source>
        <translation>이 대화 보관하거나 되돌리기</translation>
    </message>
    <message>
        <source>Mark this chat as unread</source>
        <translation>이 대화를 읽지 않음으로 표시</translation>
    </message>
    <message>
        <source>Put this chat into a new folder</source>
        <translation>이 대화를 새 폴더에 넣기</translation>
    </message>
    <message>
        <source>Delete this chat</source>
        <translation>이 대화 삭제</translation>
    </message>
    <message>
        <source>Take back what was deleted or archived</source>
        <translation>삭제하거나 보관한 것 되돌리기</translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation>메시지 보내기</translation>
    </message>
    <message>
        <source>Begin a new line</source>
        <translation>줄 바꾸기</translation>
    </message>
    <message>
        <source>Stop the answer, or leave an edit</source>
        <translation>답변 멈추기 또는 편집 그만두기</translation>
    </message>
    <message>
        <source>Answer once more</source>
        <translation>다시 답하기</translation>
    </message>
    <message>
        <source>Copy the last message</source>
        <translation>마지막 메시지 복사</translation>
    </message>
    <message>
        <source>One pane</source>
        <translation>창 하나</translation>
    </message>
    <message>
        <source>Two panes</source>
        <translation>창 둘</translation>
    </message>
    <message>
        <source>Three panes</source>
        <translation>창 셋</translation>
    </message>
    <message>
        <source>Four panes</source>
        <translation>창 넷</translation>
    </message>
    <message>
        <source>New chat in a pane beside this one</source>
        <translation>옆 창에 새 대화</translation>
    </message>
    <message>
        <source>Close this pane; its chat goes on</source>
        <translation>이 창 닫기. 대화는 계속됩니다</translation>
    </message>
    <message>
        <source>To the pane on the left</source>
        <translation>왼쪽 창으로</translation>
    </message>
    <message>
        <source>To the pane on the right</source>
        <translation>오른쪽 창으로</translation>
    </message>
    <message>
        <source>To the pane above</source>
        <translation>위쪽 창으로</translation>
    </message>
    <message>
        <source>To the pane below</source>
        <translation>아래쪽 창으로</translation>
    </message>
    <message>
        <source>Write to one chat, or to all shown</source>
        <translation>한 대화 또는 보이는 모든 대화에 쓰기</translation>
    </message>
    <message>
        <source>Back to the chats</source>
        <translation>대화로 돌아가기</translation>
    </message>
    <message>
        <source>Personas</source>
        <translation>페르소나</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>엔진</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>설정</translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation>단축키</translation>
    </message>
    <message>
        <source>Show or hide the sidebar</source>
        <translation>사이드바 보이거나 숨기기</translation>
    </message>
    <message>
        <source>Theme: light</source>
        <translation>테마: 밝게</translation>
    </message>
    <message>
        <source>Theme: dark</source>
        <translation>테마: 어둡게</translation>
    </message>
    <message>
        <source>Theme: as the system</source>
        <translation>테마: 시스템에 맞춤</translation>
    </message>
    <message>
        <source>Show or hide the engine beside the chats</source>
        <translation>대화 옆의 엔진 패널 보이거나 숨기기</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>끝내기</translation>
    </message>
    <message>
        <source>Open the chat above or below</source>
        <translation>위나 아래의 대화 열기</translation>
    </message>
    <message>
        <source>Select several chats</source>
        <translation>대화 여러 개 선택</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>모두 선택</translation>
    </message>
    <message>
        <source>What can be done with the chat</source>
        <translation>대화에 할 수 있는 일</translation>
    </message>
    <message>
        <source>Delete what is selected</source>
        <translation>선택한 것 삭제</translation>
    </message>
    <message>
        <source>Pause all answers, or go on with them</source>
        <translation>모든 답변 일시 정지하거나 다시 시작</translation>
    </message>
    <message>
        <source>Go on with the answer that was cut off</source>
        <translation>끊긴 답변 이어 쓰기</translation>
    </message>
    <message>
        <source>Fork this chat at its last message</source>
        <translation>마지막 메시지에서 갈래 만들기</translation>
    </message>
    <message>
        <source>Export all chats</source>
        <translation>모든 대화 내보내기</translation>
    </message>
    <message>
        <source>Import chats</source>
        <translation>대화 가져오기</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>지금 백업</translation>
    </message>
</context>
<context>
    <name>quire::ComposerModel</name>
    <message>
        <source>To both panes</source>
        <translation>두 창 모두에</translation>
    </message>
    <message>
        <source>To all %1 panes</source>
        <translation>창 %1개 모두에</translation>
    </message>
    <message>
        <source>To this chat</source>
        <translation>이 대화에</translation>
    </message>
    <message>
        <source>Message both chats</source>
        <translation>두 대화에 보낼 메시지 입력</translation>
    </message>
    <message>
        <source>Message all %1 chats</source>
        <translation>대화 %1개에 보낼 메시지 입력</translation>
    </message>
    <message>
        <source>One of the chats is still answering.</source>
        <translation>대화 하나가 아직 답변 중입니다.</translation>
    </message>
    <message>
        <source>%1 of the chats are still answering.</source>
        <translation>대화 %1개가 아직 답변 중입니다.</translation>
    </message>
    <message>
        <source>Enter sends it to each of them</source>
        <translation>Enter로 모두에게 보내기</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>보내기</translation>
    </message>
    <message>
        <source>Send version</source>
        <translation>새 버전 보내기</translation>
    </message>
    <message>
        <source>Save version</source>
        <translation>새 버전 저장</translation>
    </message>
</context>
<context>
    <name>quire::ComputeDevices</name>
    <message>
        <source>Automatic</source>
        <translation>자동</translation>
    </message>
    <message>
        <source>%1 · %2 free</source>
        <translation>%1 · %2 남음</translation>
    </message>
</context>
<context>
    <name>quire::ContextWatch</name>
    <message>
        <source>%1 / %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Too long for this model: %1 of %2 tokens. Shorten the message.</source>
        <translation>이 모델에는 너무 깁니다. %2토큰까지인데 %1토큰입니다. 메시지를 줄이십시오.</translation>
    </message>
    <message>
        <source>The %1 oldest messages are left out to fit into %2 tokens.</source>
        <translation>%2토큰에 맞추려고 가장 오래된 메시지 %1개를 뺐습니다.</translation>
    </message>
    <message>
        <source>Sending drops %1 more old messages to fit into %2 tokens.</source>
        <translation>보내면 %2토큰에 맞추려고 오래된 메시지 %1개를 더 뺍니다.</translation>
    </message>
    <message>
        <source>Sending drops the oldest message to fit into %1 tokens.</source>
        <translation>보내면 %1토큰에 맞추려고 가장 오래된 메시지를 뺍니다.</translation>
    </message>
    <message>
        <source>Sending drops the %1 oldest messages to fit into %2 tokens.</source>
        <translation>보내면 %2토큰에 맞추려고 가장 오래된 메시지 %1개를 뺍니다.</translation>
    </message>
</context>
<context>
    <name>quire::DataSession</name>
    <message>
        <source>Quire is already running with this folder. Use its window, or start Quire with --data and another folder.</source>
        <translation>이 폴더를 쓰는 Quire가 이미 열려 있습니다. 그 화면을 쓰거나 --data로 다른 폴더를 정해 Quire를 시작하십시오.</translation>
    </message>
</context>
<context>
    <name>quire::DataTransfer</name>
    <message>
        <source>Cancelled.</source>
        <translation>취소했습니다.</translation>
    </message>
    <message>
        <source>Exporting…</source>
        <translation>내보내는 중…</translation>
    </message>
    <message>
        <source>Importing…</source>
        <translation>가져오는 중…</translation>
    </message>
    <message>
        <source>Backing up…</source>
        <translation>백업하는 중…</translation>
    </message>
    <message>
        <source>Bringing back what is missing…</source>
        <translation>없는 것을 되살리는 중…</translation>
    </message>
    <message>
        <source>Written to %1.</source>
        <translation>%1에 저장했습니다.</translation>
    </message>
    <message>
        <source>Nothing was missing here.</source>
        <translation>없어진 것이 없습니다.</translation>
    </message>
    <message>
        <source>1 chat came in.</source>
        <translation>대화 1개를 가져왔습니다.</translation>
    </message>
    <message>
        <source>%1 chats came in.</source>
        <translation>대화 %1개를 가져왔습니다.</translation>
    </message>
    <message>
        <source>%1 chats came in, and %2 got what they lacked.</source>
        <translation>대화 %1개를 가져왔고, %2개는 없던 것을 채웠습니다.</translation>
    </message>
    <message>
        <source>Here already, and left as they are: %1.</source>
        <translation>이미 있어 그대로 둔 것: %1.</translation>
    </message>
    <message>
        <source>A backup of this moment was made.</source>
        <translation>지금 상태의 백업을 만들었습니다.</translation>
    </message>
    <message>
        <source>Nothing has changed since the latest backup, so no other was made.</source>
        <translation>마지막 백업 뒤로 바뀐 것이 없어 새로 만들지 않았습니다.</translation>
    </message>
    <message>
        <source>Damaged, and readable only in part or not at all: %1.</source>
        <translation>손상되어 일부만 읽혔거나 읽을 수 없음: %1.</translation>
    </message>
    <message>
        <source>Nothing could be taken over.</source>
        <translation>가져올 수 있는 것이 없었습니다.</translation>
    </message>
</context>
<context>
    <name>quire::EngineFiguresTexts</name>
    <message>
        <source>%1 of %2, %3</source>
        <translation>%2 중 %1, %3</translation>
    </message>
    <message>
        <source>none</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>from memory</source>
        <translation>메모리에서</translation>
    </message>
    <message>
        <source>Tokens of the prompt whose keys and values were still there</source>
        <translation>키와 값이 메모리에 남아 있던 프롬프트 토큰</translation>
    </message>
    <message>
        <source>from disk</source>
        <translation>디스크에서</translation>
    </message>
    <message>
        <source>Tokens read back from an earlier time</source>
        <translation>전에 저장한 것을 다시 읽은 토큰</translation>
    </message>
    <message>
        <source>computed</source>
        <translation>계산함</translation>
    </message>
    <message>
        <source>Tokens that were new, or had been given up</source>
        <translation>새로 들어왔거나 메모리에서 버려졌던 토큰</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>첫 토큰</translation>
    </message>
    <message>
        <source>From sending the message to the first word</source>
        <translation>메시지를 보낸 때부터 첫 단어까지</translation>
    </message>
    <message>
        <source>time to first token p99</source>
        <translation>첫 토큰 p99</translation>
    </message>
    <message>
        <source>In the last five minutes, 99 of 100 answers began sooner</source>
        <translation>최근 5분 동안 답변 100개 중 99개가 이보다 일찍 시작됨</translation>
    </message>
    <message>
        <source>between tokens p99</source>
        <translation>토큰 간격 p99</translation>
    </message>
    <message>
        <source>In the last five minutes, 99 of 100 tokens came sooner after the one before</source>
        <translation>최근 5분 동안 토큰 100개 중 99개가 앞 토큰 뒤에 이보다 일찍 나옴</translation>
    </message>
    <message>
        <source>batch</source>
        <translation>배치</translation>
    </message>
    <message>
        <source>Chats computed in one step</source>
        <translation>한 단계에서 함께 계산한 대화</translation>
    </message>
    <message>
        <source>waste</source>
        <translation>낭비</translation>
    </message>
    <message>
        <source>Of the memory that answers hold now, what is reserved and still empty</source>
        <translation>지금 답변이 차지한 메모리 가운데 잡아 두고 비어 있는 몫</translation>
    </message>
    <message>
        <source>half are under</source>
        <translation>절반이 이 값 미만</translation>
    </message>
    <message>
        <source>95 of 100 are under</source>
        <translation>100개 중 95개가 이 값 미만</translation>
    </message>
    <message>
        <source>99 of 100 are under</source>
        <translation>100개 중 99개가 이 값 미만</translation>
    </message>
    <message>
        <source>measured in 5 minutes</source>
        <translation>5분 동안 잰 횟수</translation>
    </message>
    <message>
        <source>chats being answered</source>
        <translation>답변 중인 대화</translation>
    </message>
    <message>
        <source>of them waiting</source>
        <translation>그중 대기 중</translation>
    </message>
    <message>
        <source>For memory, or for what another chat is computing for both</source>
        <translation>메모리를 기다리거나, 다른 대화가 함께 쓸 것을 계산하기를 기다림</translation>
    </message>
    <message>
        <source>chats in a step</source>
        <translation>한 단계의 대화</translation>
    </message>
    <message>
        <source>tokens in a step</source>
        <translation>한 단계의 토큰</translation>
    </message>
    <message>
        <source>put back for lack of memory</source>
        <translation>메모리 부족으로 미룸</translation>
    </message>
    <message>
        <source>Times that an answer gave its memory to another and was taken up again later</source>
        <translation>답변이 다른 답변에 메모리를 내주고 나중에 다시 이어진 횟수</translation>
    </message>
    <message>
        <source>tokens written</source>
        <translation>쓴 토큰</translation>
    </message>
    <message>
        <source>Since the model was loaded</source>
        <translation>모델을 불러온 뒤로</translation>
    </message>
    <message>
        <source>from cache, in all</source>
        <translation>캐시에서, 전체</translation>
    </message>
    <message>
        <source>Tokens of all prompts since the model was loaded that were not computed again</source>
        <translation>모델을 불러온 뒤 모든 프롬프트에서 다시 계산하지 않은 토큰</translation>
    </message>
    <message>
        <source>in the last 10 minutes</source>
        <translation>최근 10분</translation>
    </message>
    <message>
        <source>of it, read from disk</source>
        <translation>그중 디스크에서 읽음</translation>
    </message>
    <message>
        <source>kept on disk</source>
        <translation>디스크에 보관</translation>
    </message>
    <message>
        <source>Keys and values in prefix.db, so that chats go on at once after a restart</source>
        <translation>다시 시작한 뒤 대화를 바로 이어 가도록 prefix.db에 둔 키와 값</translation>
    </message>
    <message>
        <source>kept in the computer&apos;s memory</source>
        <translation>컴퓨터 메모리에 보관</translation>
    </message>
    <message>
        <source>What had to leave the GPU&apos;s memory</source>
        <translation>GPU 메모리에서 내보낸 것</translation>
    </message>
    <message>
        <source>one block</source>
        <translation>블록 하나</translation>
    </message>
    <message>
        <source>%1 tokens, %2</source>
        <translation>%1토큰, %2</translation>
    </message>
    <message>
        <source>reserved and empty</source>
        <translation>잡아 두고 비어 있음</translation>
    </message>
</context>
<context>
    <name>quire::EngineMonitor</name>
    <message>
        <source>tokens/s, no chat is being answered</source>
        <translation>토큰/초, 답변 중인 대화 없음</translation>
    </message>
    <message>
        <source>tokens/s, %1</source>
        <translation>토큰/초, %1</translation>
    </message>
    <message>
        <source>Nothing was asked since Quire was started.</source>
        <translation>Quire를 시작한 뒤로 질문이 없었습니다.</translation>
    </message>
</context>
<context>
    <name>quire::EngineSettings</name>
    <message>
        <source>Threads</source>
        <translation>스레드</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>컨텍스트</translation>
    </message>
    <message>
        <source>Memory for chats</source>
        <translation>대화용 메모리</translation>
    </message>
    <message>
        <source>Tokens of a step</source>
        <translation>한 단계의 토큰</translation>
    </message>
    <message>
        <source>Of the processor, for each model. Models that answer at the same time share its cores.</source>
        <translation>모델마다 쓰는 프로세서 스레드 수입니다. 동시에 답변하는 모델들은 코어를 나눠 씁니다.</translation>
    </message>
    <message>
        <source>How much a chat may hold. Less of it takes less memory.</source>
        <translation>대화 하나가 담을 수 있는 양입니다. 작을수록 메모리를 덜 씁니다.</translation>
    </message>
    <message>
        <source>For keys and values, all chats of a model together.</source>
        <translation>한 모델의 모든 대화가 함께 쓰는 키와 값의 메모리입니다.</translation>
    </message>
    <message>
        <source>Computed at once. More reads long prompts faster; less lets answers beside them flow more evenly.</source>
        <translation>한 번에 계산하는 수입니다. 크면 긴 프롬프트를 빨리 읽고, 작으면 함께 나오는 답변이 더 고르게 이어집니다.</translation>
    </message>
    <message>
        <source>MB</source>
        <translation>MB</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>Default: %1, all cores</source>
        <translation>기본값: %1, 모든 코어</translation>
    </message>
    <message>
        <source>Default: all cores</source>
        <translation>기본값: 모든 코어</translation>
    </message>
    <message>
        <source>Default: the model&apos;s own</source>
        <translation>기본값: 모델의 값</translation>
    </message>
    <message>
        <source>Default: by what is free</source>
        <translation>기본값: 남은 메모리에 맞춤</translation>
    </message>
    <message>
        <source>Default: %1</source>
        <translation>기본값: %1</translation>
    </message>
    <message>
        <source>This is a whole number from %1 to %2.</source>
        <translation>%1에서 %2까지의 정수를 적으십시오.</translation>
    </message>
    <message>
        <source>Loading again: %1. Answers that are being written finish first.</source>
        <translation>다시 불러오는 중: %1. 쓰고 있는 답변은 먼저 끝까지 씁니다.</translation>
    </message>
    <message>
        <source>Every loaded model runs with these values.</source>
        <translation>불러온 모델은 모두 이 값으로 동작합니다.</translation>
    </message>
    <message>
        <source>Still loaded with earlier values: %1. Answers that are being written finish first, then it is loaded again.</source>
        <translation>이전 값으로 불러온 모델: %1. 쓰고 있는 답변을 끝낸 다음 다시 불러옵니다.</translation>
    </message>
    <message>
        <source>Memory precision</source>
        <translation>메모리 정밀도</translation>
    </message>
    <message>
        <source>How exactly chats are kept. 8 bit holds almost twice as much on a GPU and almost four times as much on the processor; answers hardly differ.</source>
        <translation>대화를 담는 정밀도입니다. 8비트는 GPU에서 거의 두 배, 프로세서에서 거의 네 배를 담고, 답변은 거의 같습니다.</translation>
    </message>
    <message>
        <source>Default: the device&apos;s own</source>
        <translation>기본값: 장치의 값</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>자동</translation>
    </message>
    <message>
        <source>Not every device here can keep chats so. Choose another.</source>
        <translation>이 컴퓨터의 모든 장치가 대화를 이렇게 담을 수 있는 것은 아닙니다. 다른 값을 고르세요.</translation>
    </message>
</context>
<context>
    <name>quire::EngineStatus</name>
    <message>
        <source>What the model runs on</source>
        <translation>모델이 실행되는 장치</translation>
    </message>
    <message>
        <source>%1 %2 %</source>
        <translation>%1 %2 %</translation>
    </message>
    <message>
        <source>%1 answers on this computer. Nothing you write leaves it.</source>
        <translation>%1 모델이 이 컴퓨터에서 답변합니다. 쓴 글은 밖으로 나가지 않습니다.</translation>
    </message>
    <message>
        <source>No model is loaded, so nothing can be asked now. What you write is kept.</source>
        <translation>불러온 모델이 없어 지금은 질문할 수 없습니다. 쓴 글은 보관합니다.</translation>
    </message>
    <message>
        <source>The model is being loaded. You can write already.</source>
        <translation>모델을 불러오는 중입니다. 미리 쓸 수 있습니다.</translation>
    </message>
    <message>
        <source>Its files hold no chat format, so Quire writes the chat as plain text. It may be a model that only continues text.</source>
        <translation>파일에 대화 형식이 없어 Quire가 대화를 일반 글로 씁니다. 글을 이어 쓰기만 하는 모델일 수 있습니다.</translation>
    </message>
    <message>
        <source>Its files hold no chat format; by its special tokens Quire uses %1.</source>
        <translation>파일에 대화 형식이 없어 특수 토큰을 보고 %1 형식을 씁니다.</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>모델 없음</translation>
    </message>
    <message>
        <source>Loading a model…</source>
        <translation>모델을 불러오는 중…</translation>
    </message>
    <message>
        <source>%1 · demonstration model</source>
        <translation>%1 · 시범 모델</translation>
    </message>
    <message>
        <source>The model did not load. The reason stands above the message field.</source>
        <translation>모델을 불러오지 못했습니다. 이유는 메시지 입력란 위에 있습니다.</translation>
    </message>
    <message>
        <source>Reads %1 tokens at once</source>
        <translation>한 번에 %1토큰을 읽음</translation>
    </message>
    <message>
        <source>1 chat</source>
        <translation>대화 1개</translation>
    </message>
    <message>
        <source>%1 chats</source>
        <translation>대화 %1개</translation>
    </message>
    <message>
        <source>%1 tok/s · %2</source>
        <translation>%1 토큰/초 · %2</translation>
    </message>
    <message>
        <source>You are talking to a small demonstration model that comes with Quire: quick, and often wrong. Choose your own above, or drop its file onto the window. Nothing you write leaves this computer.</source>
        <translation>Quire에 들어 있는 작은 시범 모델과 대화하고 있습니다. 빠르지만 자주 틀립니다. 위에서 가지고 있는 모델을 고르거나 파일을 화면에 끌어 놓으십시오. 쓴 글은 이 컴퓨터 밖으로 나가지 않습니다.</translation>
    </message>
    <message>
        <source>A tiny model trained for Quire, to show how it works. It knows little and errs often.
Press to choose another, or drop a model&apos;s file onto the window.</source>
        <translation>Quire가 어떻게 움직이는지 보이려고 학습한 아주 작은 모델입니다. 아는 것이 적고 자주 틀립니다.
누르면 다른 모델을 고를 수 있습니다. 모델 파일을 화면에 끌어 놓아도 됩니다.</translation>
    </message>
</context>
<context>
    <name>quire::EngineWordsTexts</name>
    <message>
        <source>%1 s</source>
        <translation>%1초</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>1 chat</source>
        <translation>대화 1개</translation>
    </message>
    <message>
        <source>%1 chats</source>
        <translation>대화 %1개</translation>
    </message>
    <message>
        <source>1 block</source>
        <translation>블록 1개</translation>
    </message>
    <message>
        <source>%1 blocks</source>
        <translation>블록 %1개</translation>
    </message>
    <message>
        <source>a chat that is gone</source>
        <translation>없어진 대화</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>새 대화</translation>
    </message>
    <message>
        <source>It waited %1 for its turn.</source>
        <translation>차례를 %1 기다렸습니다.</translation>
    </message>
</context>
<context>
    <name>quire::EngineWorkerTexts</name>
    <message>
        <source>Another model was loaded while this answer was being written. What there was is kept; regenerate it to have all of it.</source>
        <translation>이 답변을 쓰는 동안 다른 모델을 불러왔습니다. 쓴 데까지는 남아 있습니다. 전체를 보려면 다시 생성하십시오.</translation>
    </message>
</context>
<context>
    <name>quire::ErrorWords</name>
    <message>
        <source>%1 does not exist</source>
        <translation>%1 경로에 아무것도 없습니다. 경로를 확인하십시오</translation>
    </message>
    <message>
        <source>%1 cannot be read: there is no such file</source>
        <translation>%1 파일이 없어 읽을 수 없습니다</translation>
    </message>
    <message>
        <source>%1 cannot be read: Permission denied</source>
        <translation>%1 파일을 읽을 권한이 없습니다</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>%1 파일을 읽을 수 없습니다: %2</translation>
    </message>
    <message>
        <source>%1 is a folder, not a file</source>
        <translation>%1 항목은 파일이 아니라 폴더입니다</translation>
    </message>
    <message>
        <source>%1 is not a file</source>
        <translation>%1 항목은 파일이 아닙니다</translation>
    </message>
    <message>
        <source>%1 is empty; download it again</source>
        <translation>%1 파일이 비어 있습니다. 다시 내려받으십시오</translation>
    </message>
    <message>
        <source>%1 is no model that Quire reads; choose a GGUF file or the folder that holds config.json and the safetensors</source>
        <translation>%1 항목은 Quire가 읽는 모델이 아닙니다. GGUF 파일이나, config.json과 safetensors가 있는 폴더를 고르십시오</translation>
    </message>
    <message>
        <source>%1 holds no model: neither config.json with safetensors nor a GGUF file. Choose the folder or the file of the model itself, which may lie deeper</source>
        <translation>%1 폴더에 모델이 없습니다. safetensors가 딸린 config.json도 GGUF 파일도 없습니다. 더 안쪽에 있을 수 있는 모델의 폴더나 파일을 고르십시오</translation>
    </message>
    <message>
        <source>%1 holds an adapter and not a whole model; merge it into its model</source>
        <translation>%1 폴더에는 온전한 모델이 아니라 어댑터가 있습니다. 원래 모델과 합치십시오</translation>
    </message>
    <message>
        <source>%1 holds no model but, by its own account, &quot;%2&quot;; choose the model&apos;s file</source>
        <translation>%1 파일에 든 것은 모델이 아니라 &quot;%2&quot;입니다. 모델 파일을 고르십시오</translation>
    </message>
    <message>
        <source>%1 has its weights as %2, which Quire does not read; get the safetensors version</source>
        <translation>%1 폴더의 가중치는 Quire가 읽지 않는 %2 형식입니다. safetensors 판을 받으십시오</translation>
    </message>
    <message>
        <source>%1 has no model.safetensors and no model.safetensors.index.json</source>
        <translation>%1 폴더에 model.safetensors도 model.safetensors.index.json도 없습니다</translation>
    </message>
    <message>
        <source>%1 is not a GGUF file; download it again</source>
        <translation>%1 파일은 GGUF 파일이 아닙니다. 다시 내려받으십시오</translation>
    </message>
    <message>
        <source>%1 is only %2 bytes long; download it again</source>
        <translation>%1 파일이 %2바이트밖에 안 됩니다. 다시 내려받으십시오</translation>
    </message>
    <message>
        <source>%1 ends within its header; download it again</source>
        <translation>%1 파일이 머리 부분에서 끊겼습니다. 다시 내려받으십시오</translation>
    </message>
    <message>
        <source>%1 ends within its key number %2; download it again</source>
        <translation>%1 파일이 %2번째 키에서 끊겼습니다. 다시 내려받으십시오</translation>
    </message>
    <message>
        <source>%1 ends within its tensor number %2; download it again</source>
        <translation>%1 파일이 %2번째 텐서에서 끊겼습니다. 다시 내려받으십시오</translation>
    </message>
    <message>
        <source>%1 is damaged: the tensor &quot;%2&quot; ends after the end of the file, which has %3 bytes; download it again</source>
        <translation>%1 파일이 손상되었습니다. 텐서 &quot;%2&quot;가 %3바이트인 파일의 끝을 넘어갑니다. 다시 내려받으십시오</translation>
    </message>
    <message>
        <source>%1 is %2 bytes shorter than its header says; download it again</source>
        <translation>%1 파일이 머리 부분에 적힌 것보다 %2바이트 짧습니다. 다시 내려받으십시오</translation>
    </message>
    <message>
        <source>%1 is not a safetensors file, or its header is damaged; download it again</source>
        <translation>%1 파일은 safetensors 파일이 아니거나 머리 부분이 손상되었습니다. 다시 내려받으십시오</translation>
    </message>
    <message>
        <source>%1 is damaged: %2; download it again</source>
        <translation>%1 파일이 손상되었습니다(%2). 다시 내려받으십시오</translation>
    </message>
    <message>
        <source>%1 is missing; %2 needs all %3 parts beside it</source>
        <translation>%1 파일이 없습니다. %2 모델에는 나뉜 파일 %3개가 모두 나란히 있어야 합니다</translation>
    </message>
    <message>
        <source>the model&apos;s files hold no tensor &quot;%1&quot;</source>
        <translation>모델 파일에 텐서 &quot;%1&quot;가 없습니다</translation>
    </message>
    <message>
        <source>%1 is GGUF version %2; Quire reads %3</source>
        <translation>%1 파일은 GGUF 버전 %2입니다. Quire가 읽는 버전: %3</translation>
    </message>
    <message>
        <source>%1: the architecture %2 is not supported; Quire runs %3</source>
        <translation>%1: %2 구조는 지원하지 않습니다. Quire가 실행하는 구조: %3</translation>
    </message>
    <message>
        <source>%1: the weights are quantised by %2; Quire reads f32, f16 and bf16 here, and quantised weights from GGUF files</source>
        <translation>%1: 가중치가 %2 방식으로 양자화되어 있습니다. Quire는 여기서 f32, f16, bf16을 읽고, 양자화된 가중치는 GGUF 파일에서 읽습니다</translation>
    </message>
    <message>
        <source>the tensor &quot;%1&quot; is %2, which Quire does not compute with; get the model in another quantisation (%3)</source>
        <translation>텐서 &quot;%1&quot;는 Quire가 계산하지 않는 %2 형식입니다. 다른 양자화로 된 모델을 받으십시오(%3)</translation>
    </message>
    <message>
        <source>the tensor &quot;%1&quot; is %2, which Quire does not compute with</source>
        <translation>텐서 &quot;%1&quot;는 Quire가 계산하지 않는 %2 형식입니다</translation>
    </message>
    <message>
        <source>%1 is absent, so that it has no tokenizer; choose another conversion</source>
        <translation>%1 항목이 없어 토크나이저가 없습니다. 다르게 변환한 모델을 고르십시오</translation>
    </message>
    <message>
        <source>There is not enough memory to load &quot;%1&quot;. Close other programs, or choose a smaller model.</source>
        <translation>&quot;%1&quot; 모델을 불러올 메모리가 모자랍니다. 다른 프로그램을 닫거나 더 작은 모델을 고르십시오.</translation>
    </message>
    <message>
        <source>The system has no %1 MB of memory left for this. Choose a smaller model or context, or close other programs.</source>
        <translation>시스템에 이 일에 쓸 메모리 %1 MB가 남아 있지 않습니다. 더 작은 모델이나 컨텍스트를 고르거나 다른 프로그램을 닫으십시오.</translation>
    </message>
    <message>
        <source>The cache for keys and values needs at least %1 for this model; its devices have %2 free beside the weights, work space included. Choose a smaller model or the device &quot;cpu&quot;, or close other programs.</source>
        <translation>이 모델의 키와 값 캐시에는 적어도 %1가 필요한데, 장치에는 가중치 말고 작업 공간까지 합쳐 %2가 남아 있습니다. 더 작은 모델이나 &quot;cpu&quot; 장치를 고르거나 다른 프로그램을 닫으십시오.</translation>
    </message>
    <message>
        <source>The cache for keys and values needs at least %1 for this model; its budget is %2. Choose a larger one.</source>
        <translation>이 모델의 키와 값 캐시에는 적어도 %1가 필요한데 한도가 %2입니다. 한도를 늘리십시오.</translation>
    </message>
    <message>
        <source>The number of CPU threads is %1; it must be between 0 (all cores) and 1024.</source>
        <translation>CPU 스레드 수가 %1입니다. 0(모든 코어)에서 1024 사이여야 합니다.</translation>
    </message>
    <message>
        <source>The GPU failed in %1: %2</source>
        <translation>GPU가 %1 도중 실패했습니다: %2</translation>
    </message>
    <message>
        <source>The model&apos;s logits for token %1 are not numbers. Its weights or the device may be damaged.</source>
        <translation>토큰 %1에서 모델이 낸 로짓이 숫자가 아닙니다. 가중치나 장치가 손상되었을 수 있습니다.</translation>
    </message>
    <message>
        <source>The prompt is empty; write something first.</source>
        <translation>프롬프트가 비어 있습니다. 먼저 무언가를 적으십시오.</translation>
    </message>
    <message>
        <source>The prompt has %1 tokens, and the context of %2 leaves no room for an answer; make the prompt shorter or the context larger.</source>
        <translation>프롬프트가 %1토큰이라 %2토큰 컨텍스트에 답변할 자리가 없습니다. 프롬프트를 줄이거나 컨텍스트를 늘리십시오.</translation>
    </message>
    <message>
        <source>The prompt has %1 tokens, %2 of them the last message&apos;s, and the context holds %3; shorten the message, or choose a model that reads more at once.</source>
        <translation>프롬프트가 %1토큰(마지막 메시지가 %2토큰)인데 컨텍스트는 %3토큰을 담습니다. 메시지를 줄이거나 더 많이 읽는 모델을 고르십시오.</translation>
    </message>
    <message>
        <source>The prompt has %1 tokens, %2 of them the system prompt&apos;s, and the context holds %3; the system prompt is too long: shorten it, or choose a model that reads more at once.</source>
        <translation>프롬프트가 %1토큰(시스템 프롬프트가 %2토큰)인데 컨텍스트는 %3토큰을 담습니다. 시스템 프롬프트가 너무 깁니다. 줄이거나 더 많이 읽는 모델을 고르십시오.</translation>
    </message>
    <message>
        <source>Even without the earlier messages the prompt has %1 tokens, %2 of them the last message&apos;s, and the context holds %3; shorten the message, or choose a model that reads more at once.</source>
        <translation>앞선 메시지를 빼도 프롬프트가 %1토큰(마지막 메시지가 %2토큰)인데 컨텍스트는 %3토큰을 담습니다. 메시지를 줄이거나 더 많이 읽는 모델을 고르십시오.</translation>
    </message>
    <message>
        <source>Even without the earlier messages the prompt has %1 tokens, %2 of them the system prompt&apos;s, and the context holds %3; the system prompt is too long: shorten it, or choose a model that reads more at once.</source>
        <translation>앞선 메시지를 빼도 프롬프트가 %1토큰(시스템 프롬프트가 %2토큰)인데 컨텍스트는 %3토큰을 담습니다. 시스템 프롬프트가 너무 깁니다. 줄이거나 더 많이 읽는 모델을 고르십시오.</translation>
    </message>
    <message>
        <source>This value cannot be used: %1</source>
        <translation>이 값은 쓸 수 없습니다: %1</translation>
    </message>
    <message>
        <source>Something that is needed is not there: %1</source>
        <translation>필요한 것이 없습니다: %1</translation>
    </message>
    <message>
        <source>The model&apos;s files are damaged or do not belong together: %1</source>
        <translation>모델 파일이 손상되었거나 서로 맞지 않습니다: %1</translation>
    </message>
    <message>
        <source>Quire does not run this model: %1</source>
        <translation>Quire가 실행하지 않는 모델입니다: %1</translation>
    </message>
    <message>
        <source>There is not enough memory: %1</source>
        <translation>메모리가 모자랍니다: %1</translation>
    </message>
    <message>
        <source>The system could not read or write: %1</source>
        <translation>시스템이 읽거나 쓰지 못했습니다: %1</translation>
    </message>
    <message>
        <source>The chat is too long for the context: %1</source>
        <translation>대화가 컨텍스트보다 깁니다: %1</translation>
    </message>
    <message>
        <source>The model&apos;s chat template cannot be used: %1</source>
        <translation>모델의 대화 템플릿을 쓸 수 없습니다: %1</translation>
    </message>
    <message>
        <source>It was cancelled: %1</source>
        <translation>취소되었습니다: %1</translation>
    </message>
    <message>
        <source>The device failed: %1</source>
        <translation>장치가 실패했습니다: %1</translation>
    </message>
    <message>
        <source>Something went wrong inside Quire: %1</source>
        <translation>Quire 안에서 문제가 생겼습니다: %1</translation>
    </message>
    <message>
        <source>Keys and values in %1 are not kept on the device %2. Choose %3.</source>
        <translation>%2 장치는 키와 값을 %1 형식으로 담지 못합니다. 다음 중에서 고르세요: %3.</translation>
    </message>
</context>
<context>
    <name>quire::FileDialogs</name>
    <message>
        <source>Files cannot be chosen here: install the package qml6-module-qt-labs-folderlistmodel and start Quire again.</source>
        <translation>여기서는 파일을 고를 수 없습니다. qml6-module-qt-labs-folderlistmodel 패키지를 설치한 뒤 Quire를 다시 시작하십시오.</translation>
    </message>
</context>
<context>
    <name>quire::FirstRun</name>
    <message>
        <source>Talk to two at once</source>
        <translation>둘과 동시에 대화</translation>
    </message>
    <message>
        <source>Talk to three at once</source>
        <translation>셋과 동시에 대화</translation>
    </message>
    <message>
        <source>Talk to four at once</source>
        <translation>넷과 동시에 대화</translation>
    </message>
    <message>
        <source>Choose two to four to talk to at once</source>
        <translation>동시에 대화할 둘에서 넷을 고르십시오</translation>
    </message>
    <message>
        <source>%1 found on this computer.</source>
        <translation>이 컴퓨터에서 %1개를 찾았습니다.</translation>
    </message>
    <message>
        <source>Those of LM Studio, Ollama, GPT4All and Jan are found by themselves.</source>
        <translation>LM Studio, Ollama, GPT4All, Jan의 모델은 저절로 찾습니다.</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>모델 고르기</translation>
    </message>
    <message>
        <source>Start one chat with %1</source>
        <translation>%1 모델과 대화 하나 시작</translation>
    </message>
    <message>
        <source>Start one chat with the small demonstration model</source>
        <translation>작은 시범 모델과 대화 하나 시작</translation>
    </message>
</context>
<context>
    <name>quire::FooterTextTexts</name>
    <message>
        <source>The conversation is not as it was from token %1 on.</source>
        <translation>대화가 토큰 %1부터 전과 다릅니다.</translation>
    </message>
    <message>
        <source>The persona changed, so all was read anew.</source>
        <translation>페르소나가 바뀌어 모두 다시 읽었습니다.</translation>
    </message>
    <message>
        <source>Older messages were left out, so those that stay were read anew once.</source>
        <translation>오래된 메시지를 빼면서 남은 메시지를 한 번 다시 읽었습니다.</translation>
    </message>
    <message>
        <source>Message %1 changed, so it and what follows were read anew.</source>
        <translation>메시지 %1이(가) 바뀌어 그 뒤를 모두 다시 읽었습니다.</translation>
    </message>
    <message>
        <source>Other chats needed the memory, so the rest was read anew.</source>
        <translation>다른 대화에 메모리가 필요해 나머지를 다시 읽었습니다.</translation>
    </message>
    <message>
        <source>%1 tok/s</source>
        <translation>%1 토큰/초</translation>
    </message>
    <message>
        <source>Forked: %1 of %2 tokens reused</source>
        <translation>갈래를 만들었습니다: %2토큰 중 %1토큰 재사용</translation>
    </message>
    <message>
        <source>%1 tokens read, none from cache</source>
        <translation>%1토큰 읽음, 캐시 없음</translation>
    </message>
    <message>
        <source>%1 of %2 from cache</source>
        <translation>캐시에서 %1 / %2</translation>
    </message>
    <message>
        <source>%1 (%2 from disk)</source>
        <translation>%1 (디스크 %2)</translation>
    </message>
    <message>
        <source>The prompt had %1 tokens. Nothing of it was known, so all of it was read.</source>
        <translation>프롬프트는 %1토큰입니다. 캐시에 있는 것이 없어 모두 읽었습니다.</translation>
    </message>
    <message>
        <source>The prompt had %1 tokens: %2 kept from before, %3 read.</source>
        <translation>프롬프트는 %1토큰입니다. %2토큰은 전부터 있었고 %3토큰을 읽었습니다.</translation>
    </message>
    <message>
        <source>Of those kept, %1 came from disk.</source>
        <translation>있던 것 가운데 %1토큰은 디스크에서 가져왔습니다.</translation>
    </message>
    <message>
        <source>about %1 tokens · %2 to compute</source>
        <translation>약 %1토큰 · 계산할 토큰 %2</translation>
    </message>
    <message>
        <source>Oldest message left out</source>
        <translation>가장 오래된 메시지 제외</translation>
    </message>
    <message>
        <source>%1 oldest messages left out</source>
        <translation>오래된 메시지 %1개 제외</translation>
    </message>
    <message>
        <source>The chat is longer than the model can read at once. Nothing is deleted: what was left out stays here, but this answer was written without it.</source>
        <translation>대화가 모델이 한 번에 읽을 수 있는 길이보다 깁니다. 삭제된 것은 없습니다. 뺀 메시지는 여기 그대로 있지만 이 답변은 그것 없이 쓴 것입니다.</translation>
    </message>
</context>
<context>
    <name>quire::GenerationEditor</name>
    <message>
        <source>Nothing is changed here</source>
        <translation>바꾼 것 없음</translation>
    </message>
    <message>
        <source>1 is changed here</source>
        <translation>1개 바꿈</translation>
    </message>
    <message>
        <source>%1 are changed here</source>
        <translation>%1개 바꿈</translation>
    </message>
    <message>
        <source>none</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>Default: %1</source>
        <translation>기본값: %1</translation>
    </message>
    <message>
        <source>Default: %1, %2</source>
        <translation>기본값: %1, %2</translation>
    </message>
    <message>
        <source>from the model&apos;s files</source>
        <translation>모델 파일</translation>
    </message>
    <message>
        <source>from the model&apos;s settings</source>
        <translation>모델 설정</translation>
    </message>
    <message>
        <source>from the settings of %1</source>
        <translation>%1 설정</translation>
    </message>
    <message>
        <source>from the persona</source>
        <translation>페르소나</translation>
    </message>
    <message>
        <source>from the persona %1</source>
        <translation>페르소나 %1</translation>
    </message>
    <message>
        <source>Above 2 the words come almost by chance.</source>
        <translation>2를 넘으면 단어가 거의 우연히 골라집니다.</translation>
    </message>
</context>
<context>
    <name>quire::GenerationFieldTexts</name>
    <message>
        <source>on</source>
        <translation>켬</translation>
    </message>
    <message>
        <source>off</source>
        <translation>끔</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>온도</translation>
    </message>
    <message>
        <source>Top k</source>
        <translation>Top k</translation>
    </message>
    <message>
        <source>Top p</source>
        <translation>Top p</translation>
    </message>
    <message>
        <source>Min p</source>
        <translation>Min p</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>반복 벌점</translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation>등장 벌점</translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation>빈도 벌점</translation>
    </message>
    <message>
        <source>Length of an answer</source>
        <translation>답변 길이</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>시드</translation>
    </message>
    <message>
        <source>Stop strings</source>
        <translation>멈춤 문자열</translation>
    </message>
    <message>
        <source>Show reasoning</source>
        <translation>추론 보이기</translation>
    </message>
    <message>
        <source>Low keeps to the likeliest words, high takes risks; 0 always says the same.</source>
        <translation>낮으면 가장 그럴듯한 단어를 고르고 높으면 모험을 합니다. 0이면 늘 같은 답을 합니다.</translation>
    </message>
    <message>
        <source>Choose among so many likeliest words; 0 keeps all.</source>
        <translation>가장 그럴듯한 단어 이만큼 가운데서 고릅니다. 0이면 모두 남깁니다.</translation>
    </message>
    <message>
        <source>Choose among the likeliest words that make up this share.</source>
        <translation>확률을 더해 이 비율이 될 때까지의 그럴듯한 단어 가운데서 고릅니다.</translation>
    </message>
    <message>
        <source>Leave out words less likely than this share of the likeliest one.</source>
        <translation>가장 그럴듯한 단어에 견주어 이 비율보다 확률이 낮은 단어는 뺍니다.</translation>
    </message>
    <message>
        <source>Above 1, words that were said already become less likely.</source>
        <translation>1보다 크면 이미 나온 단어가 덜 나옵니다.</translation>
    </message>
    <message>
        <source>Lowers each word that the answer already holds, once.</source>
        <translation>답변에 이미 있는 단어의 확률을 한 번 낮춥니다.</translation>
    </message>
    <message>
        <source>Lowers each word for every time that the answer holds it.</source>
        <translation>답변에 나온 횟수만큼 단어의 확률을 낮춥니다.</translation>
    </message>
    <message>
        <source>It ends after so many tokens, whole or not.</source>
        <translation>끝맺지 못했더라도 이만큼 쓰면 끝냅니다.</translation>
    </message>
    <message>
        <source>The same seed gives the same answer to the same chat.</source>
        <translation>같은 시드는 같은 대화에 같은 답변을 합니다.</translation>
    </message>
    <message>
        <source>The answer ends before any of these. Part them with |, write \n for a new line.</source>
        <translation>이 가운데 하나가 나오기 직전에 답변을 끝냅니다. |로 나누고 줄 바꿈은 \n으로 씁니다.</translation>
    </message>
    <message>
        <source>What a model thinks before it answers, as a block that can be opened.</source>
        <translation>모델이 답하기 전에 생각한 것을 펼칠 수 있는 블록으로 보입니다.</translation>
    </message>
    <message>
        <source>Temperature is a number from 0 to 100; most use 0 to 1.5.</source>
        <translation>온도는 0에서 100 사이의 수입니다. 보통 0~1.5를 씁니다.</translation>
    </message>
    <message>
        <source>Top k is a whole number, 0 or more; 0 keeps all words.</source>
        <translation>Top k는 0 이상의 정수입니다. 0이면 모든 단어를 남깁니다.</translation>
    </message>
    <message>
        <source>Top p is a number above 0, up to 1; 1 keeps all words.</source>
        <translation>Top p는 0보다 크고 1 이하인 수입니다. 1이면 모든 단어를 남깁니다.</translation>
    </message>
    <message>
        <source>Min p is a number from 0 to 1; 0 keeps all words.</source>
        <translation>Min p는 0에서 1 사이의 수입니다. 0이면 모든 단어를 남깁니다.</translation>
    </message>
    <message>
        <source>The repetition penalty is a number above 0; 1 is none.</source>
        <translation>반복 벌점은 0보다 큰 수입니다. 1이면 없는 것과 같습니다.</translation>
    </message>
    <message>
        <source>The presence penalty is a number from -100 to 100; 0 is none.</source>
        <translation>등장 벌점은 -100에서 100 사이의 수입니다. 0이면 없는 것과 같습니다.</translation>
    </message>
    <message>
        <source>The frequency penalty is a number from -100 to 100; 0 is none.</source>
        <translation>빈도 벌점은 -100에서 100 사이의 수입니다. 0이면 없는 것과 같습니다.</translation>
    </message>
    <message>
        <source>The length of an answer is a whole number of tokens, 1 or more.</source>
        <translation>답변 길이는 1 이상의 정수(토큰 수)입니다.</translation>
    </message>
    <message>
        <source>The seed is a whole number, 0 or more; leave it empty for a new one each time.</source>
        <translation>시드는 0 이상의 정수입니다. 비워 두면 매번 새로 정합니다.</translation>
    </message>
    <message>
        <source>At most 64 stop strings can be kept.</source>
        <translation>멈춤 문자열은 64개까지 둘 수 있습니다.</translation>
    </message>
    <message>
        <source>This is either on or off.</source>
        <translation>켬 또는 끔만 고를 수 있습니다.</translation>
    </message>
    <message>
        <source>new each time</source>
        <translation>매번 새로</translation>
    </message>
</context>
<context>
    <name>quire::IdleChoicesTexts</name>
    <message>
        <source>Never</source>
        <translation>안 함</translation>
    </message>
    <message>
        <source>After %1 minutes</source>
        <translation>%1분 뒤</translation>
    </message>
</context>
<context>
    <name>quire::ImportOffer</name>
    <message>
        <source>“%1” holds no chats that Quire exported, so there is nothing to import.</source>
        <translation>“%1”에는 Quire에서 내보낸 대화가 없어 가져올 것이 없습니다.</translation>
    </message>
    <message>
        <source>Import the chats of “%1”?</source>
        <translation>“%1”의 대화를 가져올까요?</translation>
    </message>
</context>
<context>
    <name>quire::LoadPlanningTexts</name>
    <message>
        <source>The device &quot;%1&quot; is not there. Choose another.</source>
        <translation>&quot;%1&quot; 장치가 없습니다. 다른 장치를 고르십시오.</translation>
    </message>
    <message>
        <source>Other models are answering: wait until they are done, or unload one.</source>
        <translation>다른 모델이 답변 중입니다. 끝나기를 기다리거나 하나를 내리십시오.</translation>
    </message>
    <message>
        <source>Close other programs, or choose a smaller model or context.</source>
        <translation>다른 프로그램을 닫거나 더 작은 모델이나 컨텍스트를 고르십시오.</translation>
    </message>
    <message>
        <source>The model needs %1 of memory, and %2 are free. %3</source>
        <translation>모델에 메모리 %1가 필요한데 %2가 남아 있습니다. %3</translation>
    </message>
    <message>
        <source>Threads, context length and tokens of a step must be 0 or more.</source>
        <translation>스레드, 컨텍스트 길이, 한 단계의 토큰은 0 이상이어야 합니다.</translation>
    </message>
    <message>
        <source>Keys and values cannot be kept in &quot;%1&quot;.</source>
        <translation>키와 값은 &quot;%1&quot; 형식으로 보관할 수 없습니다.</translation>
    </message>
    <message>
        <source>There is not enough memory to look into the model&apos;s file.</source>
        <translation>모델 파일을 들여다볼 메모리가 부족합니다.</translation>
    </message>
</context>
<context>
    <name>quire::MemoryForecast</name>
    <message>
        <source>needs %1 of %2 GB free</source>
        <translation>남은 %2 GB 중 %1 GB 필요</translation>
    </message>
    <message>
        <source>needs %1 of %2 MB free</source>
        <translation>남은 %2 MB 중 %1 MB 필요</translation>
    </message>
    <message>
        <source>needs %1 GB, but only %2 GB is free</source>
        <translation>%1 GB가 필요하지만 %2 GB만 남음</translation>
    </message>
    <message>
        <source>needs %1 MB, but only %2 MB is free</source>
        <translation>%1 MB가 필요하지만 %2 MB만 남음</translation>
    </message>
    <message>
        <source>weights %1</source>
        <translation>가중치 %1</translation>
    </message>
    <message>
        <source>keys and values %1</source>
        <translation>키와 값 %1</translation>
    </message>
    <message>
        <source>workspace %1</source>
        <translation>작업 공간 %1</translation>
    </message>
    <message>
        <source>Loads in place of %1</source>
        <translation>%1 대신 불러옵니다</translation>
    </message>
    <message>
        <source>Loads beside %1</source>
        <translation>%1 옆에 불러옵니다</translation>
    </message>
</context>
<context>
    <name>quire::MessageActions</name>
    <message>
        <source>Answer %1</source>
        <translation>답변 %1</translation>
    </message>
    <message>
        <source>complete</source>
        <translation>완결됨</translation>
    </message>
</context>
<context>
    <name>quire::MessageBin</name>
    <message>
        <source>The message was deleted.</source>
        <translation>메시지를 삭제했습니다.</translation>
    </message>
    <message>
        <source>%1 messages were deleted.</source>
        <translation>메시지 %1개를 삭제했습니다.</translation>
    </message>
    <message>
        <source>Kept. The other answer was deleted.</source>
        <translation>남겼습니다. 다른 답변은 삭제했습니다.</translation>
    </message>
    <message>
        <source>Kept. The other %1 answers were deleted.</source>
        <translation>남겼습니다. 다른 답변 %1개는 삭제했습니다.</translation>
    </message>
</context>
<context>
    <name>quire::ModelCacheTexts</name>
    <message>
        <source>Ollama&apos;s record of %1 cannot be read. Pull the model again.</source>
        <translation>%1에 대한 Ollama의 기록을 읽을 수 없습니다. 모델을 다시 받으십시오.</translation>
    </message>
    <message>
        <source>The file of %1 is missing. Pull the model again with Ollama.</source>
        <translation>%1의 파일이 없습니다. Ollama로 모델을 다시 받으십시오.</translation>
    </message>
    <message>
        <source>Ollama adds an adapter to it, which Quire leaves out.</source>
        <translation>Ollama가 붙이는 어댑터는 Quire에서 쓰지 않습니다.</translation>
    </message>
</context>
<context>
    <name>quire::ModelCard</name>
    <message>
        <source>Demonstration: knows little, errs often</source>
        <translation>시범용: 아는 것이 적고 자주 틀림</translation>
    </message>
    <message>
        <source>Load anyway</source>
        <translation>그래도 불러오기</translation>
    </message>
    <message>
        <source>Load again</source>
        <translation>다시 불러오기</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>불러오기</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
    <message>
        <source>Loading again</source>
        <translation>다시 불러오는 중</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>불러오는 중</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>사용 중</translation>
    </message>
    <message>
        <source>Loaded</source>
        <translation>불러옴</translation>
    </message>
    <message>
        <source>Unloaded to free its memory. It is loaded again when a chat asks for it.</source>
        <translation>메모리를 비우려고 내렸습니다. 대화가 필요로 하면 다시 불러옵니다.</translation>
    </message>
    <message>
        <source>takes %1</source>
        <translation>%1 차지</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 토큰/초</translation>
    </message>
    <message>
        <source>%1 · %2 %</source>
        <translation>%1 · %2 %</translation>
    </message>
    <message>
        <source>Ready, waits for the answers that are being written</source>
        <translation>준비됨, 쓰고 있는 답변이 끝나기를 기다리는 중</translation>
    </message>
</context>
<context>
    <name>quire::ModelDescriptionTexts</name>
    <message>
        <source>Not a single layer of the model fits into the GPU&apos;s free memory.</source>
        <translation>GPU의 남은 메모리에 모델의 레이어가 하나도 들어가지 않습니다.</translation>
    </message>
    <message>
        <source>%1 to %2 on %3</source>
        <translation>%1~%2 %3</translation>
    </message>
    <message>
        <source>Its layers are spread: %1.</source>
        <translation>레이어가 나뉘어 있습니다: %1.</translation>
    </message>
</context>
<context>
    <name>quire::ModelLibrary</name>
    <message>
        <source>%1 is loaded from where it lies.</source>
        <translation>%1: 지금 있는 자리에서 불러옵니다.</translation>
    </message>
    <message>
        <source>%1 is no model itself. Models in it can be listed.</source>
        <translation>%1 자체는 모델이 아닙니다. 안에 있는 모델을 목록에 넣을 수 있습니다.</translation>
    </message>
    <message>
        <source>1 model</source>
        <translation>모델 1개</translation>
    </message>
    <message>
        <source>%1 models</source>
        <translation>모델 %1개</translation>
    </message>
    <message>
        <source>%1 so far, looking for more…</source>
        <translation>지금까지 %1, 더 찾는 중…</translation>
    </message>
    <message>
        <source>%1 · a folder was too large to be searched to its end</source>
        <translation>%1 · 너무 큰 폴더가 있어 끝까지 찾지 못함</translation>
    </message>
    <message>
        <source>%1 · %2 on disk</source>
        <translation>%1 · 디스크에서 %2</translation>
    </message>
    <message>
        <source>1 file is left out</source>
        <translation>파일 1개 제외</translation>
    </message>
    <message>
        <source>%1 files are left out</source>
        <translation>파일 %1개 제외</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>외 %1개</translation>
    </message>
    <message>
        <source>1 model was removed from this list</source>
        <translation>모델 1개를 이 목록에서 뺐습니다</translation>
    </message>
    <message>
        <source>%1 models were removed from this list</source>
        <translation>모델 %1개를 이 목록에서 뺐습니다</translation>
    </message>
    <message>
        <source>Add its folder</source>
        <translation>그 폴더 추가</translation>
    </message>
</context>
<context>
    <name>quire::ModelOptions</name>
    <message>
        <source>the model&apos;s own</source>
        <translation>모델의 값</translation>
    </message>
    <message>
        <source>all cores</source>
        <translation>모든 코어</translation>
    </message>
    <message>
        <source>%1, all cores</source>
        <translation>%1, 모든 코어</translation>
    </message>
    <message>
        <source>by what is free</source>
        <translation>남은 메모리에 맞춤</translation>
    </message>
    <message>
        <source>%1 MB</source>
        <translation>%1 MB</translation>
    </message>
    <message>
        <source>As all models</source>
        <translation>모든 모델과 같게</translation>
    </message>
    <message>
        <source>the device&apos;s own</source>
        <translation>장치의 값</translation>
    </message>
</context>
<context>
    <name>quire::ModelPool</name>
    <message>
        <source>Loading %1…</source>
        <translation>%1 불러오는 중…</translation>
    </message>
    <message>
        <source>Loading was cancelled. Load a model to go on.</source>
        <translation>불러오기를 취소했습니다. 이어 가려면 모델을 불러오십시오.</translation>
    </message>
    <message>
        <source>The model was unloaded while this answer was being written. What there was is kept; regenerate it to have all of it.</source>
        <translation>이 답변을 쓰는 동안 모델을 내렸습니다. 쓴 데까지는 남아 있습니다. 전체를 보려면 다시 생성하십시오.</translation>
    </message>
    <message>
        <source>Another model was loaded while this answer was being written. What there was is kept; regenerate it to have all of it.</source>
        <translation>이 답변을 쓰는 동안 다른 모델을 불러왔습니다. 쓴 데까지는 남아 있습니다. 전체를 보려면 다시 생성하십시오.</translation>
    </message>
</context>
<context>
    <name>quire::ModelReader</name>
    <message>
        <source>There is not enough memory to read what this file says about itself.</source>
        <translation>이 파일의 정보를 읽을 메모리가 부족합니다.</translation>
    </message>
</context>
<context>
    <name>quire::ModelScanner</name>
    <message>
        <source>A vision projector: it lets another model see pictures.</source>
        <translation>비전 프로젝터: 다른 모델이 그림을 보게 합니다.</translation>
    </message>
    <message>
        <source>An adapter: it changes another model and is none itself.</source>
        <translation>어댑터: 다른 모델을 바꾸는 파일이며 모델이 아닙니다.</translation>
    </message>
</context>
<context>
    <name>quire::ModelSearchTexts</name>
    <message>
        <source>You may not read this folder.</source>
        <translation>이 폴더를 읽을 권한이 없습니다.</translation>
    </message>
    <message>
        <source>An adapter: it changes another model and is none itself.</source>
        <translation>어댑터: 다른 모델을 바꾸는 파일이며 모델이 아닙니다.</translation>
    </message>
</context>
<context>
    <name>quire::ModelWordsTexts</name>
    <message>
        <source>%1 billion parameters</source>
        <translation>매개변수 %1B</translation>
    </message>
    <message>
        <source>%1 million parameters</source>
        <translation>매개변수 %1M</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>매개변수 %1개</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1토큰</translation>
    </message>
    <message>
        <source>%1 threads</source>
        <translation>스레드 %1개</translation>
    </message>
    <message>
        <source>1 second left</source>
        <translation>1초 남음</translation>
    </message>
    <message>
        <source>%1 seconds left</source>
        <translation>%1초 남음</translation>
    </message>
    <message>
        <source>%1 minutes left</source>
        <translation>%1분 남음</translation>
    </message>
    <message>
        <source>Waiting for its turn</source>
        <translation>차례를 기다리는 중</translation>
    </message>
    <message>
        <source>Reading the file&apos;s head</source>
        <translation>파일 머리말 읽는 중</translation>
    </message>
    <message>
        <source>Reading weights</source>
        <translation>가중치 읽는 중</translation>
    </message>
    <message>
        <source>Reading weights, %1 of %2</source>
        <translation>가중치 읽는 중, %2 중 %1</translation>
    </message>
    <message>
        <source>Laying the weights out</source>
        <translation>가중치 배치하는 중</translation>
    </message>
    <message>
        <source>Setting memory aside for chats</source>
        <translation>대화용 메모리 잡는 중</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>불러오는 중</translation>
    </message>
    <message>
        <source>reads %1</source>
        <translation>한 번에 %1</translation>
    </message>
</context>
<context>
    <name>quire::PauseControl</name>
    <message>
        <source>Go on with all answers (Ctrl+Shift+P)</source>
        <translation>모든 답변 다시 시작 (Ctrl+Shift+P)</translation>
    </message>
    <message>
        <source>Pause all answers (Ctrl+Shift+P)</source>
        <translation>모든 답변 일시 정지 (Ctrl+Shift+P)</translation>
    </message>
</context>
<context>
    <name>quire::PersonaEditor</name>
    <message>
        <source>New persona</source>
        <translation>새 페르소나</translation>
    </message>
</context>
<context>
    <name>quire::PersonaFilter</name>
    <message>
        <source>There are no personas. Make one, or begin with one of the presets.</source>
        <translation>페르소나가 없습니다. 새로 만들거나 프리셋으로 시작하십시오.</translation>
    </message>
    <message>
        <source>No persona has “%1” in its name, its description or its prompt.</source>
        <translation>이름이나 설명, 지시문에 “%1”이(가) 있는 페르소나가 없습니다.</translation>
    </message>
</context>
<context>
    <name>quire::PersonaLibrary</name>
    <message>
        <source>%1 (copy)</source>
        <translation>%1 (복사본)</translation>
    </message>
    <message>
        <source>“%1” was deleted. Its chats go on without it.</source>
        <translation>“%1” 페르소나를 삭제했습니다. 대화는 페르소나 없이 이어집니다.</translation>
    </message>
</context>
<context>
    <name>quire::PersonaListModel</name>
    <message>
        <source>1 persona</source>
        <translation>페르소나 1개</translation>
    </message>
    <message>
        <source>%1 personas</source>
        <translation>페르소나 %1개</translation>
    </message>
</context>
<context>
    <name>quire::PersonaWordsTexts</name>
    <message>
        <source>1 token</source>
        <translation>1토큰</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1토큰</translation>
    </message>
    <message>
        <source>1 chat</source>
        <translation>대화 1개</translation>
    </message>
    <message>
        <source>%1 chats</source>
        <translation>대화 %1개</translation>
    </message>
    <message>
        <source>Warm · %1</source>
        <translation>예열됨 · %1</translation>
    </message>
    <message>
        <source>Partly warm · %1 of %2</source>
        <translation>일부 예열됨 · %2 중 %1</translation>
    </message>
    <message>
        <source>On disk · %1</source>
        <translation>디스크에 있음 · %1</translation>
    </message>
    <message>
        <source>Cold · %1</source>
        <translation>예열 안 됨 · %1</translation>
    </message>
    <message>
        <source>shared by %1 · saves %2</source>
        <translation>%1가 함께 사용 · %2 절약</translation>
    </message>
    <message>
        <source>not used yet</source>
        <translation>아직 쓰지 않음</translation>
    </message>
    <message>
        <source>used by %1</source>
        <translation>%1에서 사용</translation>
    </message>
    <message>
        <source>Every chat under this persona begins with these words.</source>
        <translation>이 페르소나의 모든 대화는 이 글로 시작합니다.</translation>
    </message>
    <message>
        <source>%1. They are computed once and shared by every chat under this persona.</source>
        <translation>%1. 한 번만 계산해 이 페르소나의 모든 대화가 함께 씁니다.</translation>
    </message>
    <message>
        <source>They take under 1 % of what the model can read at once.</source>
        <translation>모델이 한 번에 읽을 수 있는 양의 1&#xa0;%가 되지 않습니다.</translation>
    </message>
    <message>
        <source>They take %1 % of what the model can read at once.</source>
        <translation>모델이 한 번에 읽을 수 있는 양의 %1&#xa0;%를 차지합니다.</translation>
    </message>
    <message>
        <source>1 chat uses this persona. When it goes on, %1 of these words and its own messages will be computed again.</source>
        <translation>대화 1개가 이 페르소나를 씁니다. 그 대화를 이어 갈 때 이 글 중 %1와 그 대화의 메시지를 다시 계산합니다.</translation>
    </message>
    <message>
        <source>%1 use this persona. %2 of these words will be computed once for all of them, and the messages of each as it goes on.</source>
        <translation>%1가 이 페르소나를 씁니다. 이 글 중 %2는 모두를 위해 한 번만 계산하고, 각 대화의 메시지는 이어 갈 때 다시 계산합니다.</translation>
    </message>
    <message>
        <source>%1 GB</source>
        <translation>%1 GB</translation>
    </message>
    <message>
        <source>%1 MB</source>
        <translation>%1 MB</translation>
    </message>
    <message>
        <source>%1 KB</source>
        <translation>%1 KB</translation>
    </message>
</context>
<context>
    <name>quire::PlotSeries</name>
    <message>
        <source>%1 tok/s</source>
        <translation>%1 토큰/초</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1분</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1초</translation>
    </message>
    <message>
        <source>Nothing was measured yet.</source>
        <translation>아직 잰 것이 없습니다.</translation>
    </message>
    <message>
        <source>Now %1; between %2 and %3 over the last %4.</source>
        <translation>지금 %1. 지난 %4 동안 %2에서 %3 사이.</translation>
    </message>
</context>
<context>
    <name>quire::PromptLog</name>
    <message>
        <source>first token %1</source>
        <translation>첫 토큰 %1</translation>
    </message>
</context>
<context>
    <name>quire::QuickOpen</name>
    <message>
        <source>Messages</source>
        <translation>메시지</translation>
    </message>
    <message>
        <source>Recent chats</source>
        <translation>최근 대화</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>대화</translation>
    </message>
    <message>
        <source>Older messages are still being entered into the index; search again in a while.</source>
        <translation>오래된 메시지를 아직 색인하고 있습니다. 잠시 뒤에 다시 검색하십시오.</translation>
    </message>
    <message>
        <source>These are the newest %1; another word finds fewer.</source>
        <translation>가장 새로운 %1개입니다. 단어를 더하면 줄어듭니다.</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>새 대화</translation>
    </message>
    <message>
        <source>archived</source>
        <translation>보관됨</translation>
    </message>
    <message>
        <source>No command is called that.</source>
        <translation>그런 이름의 명령이 없습니다.</translation>
    </message>
    <message>
        <source>No chats yet.</source>
        <translation>아직 대화가 없습니다.</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>검색하는 중…</translation>
    </message>
    <message>
        <source>Nothing was found for “%1”.</source>
        <translation>“%1” 검색 결과가 없습니다.</translation>
    </message>
</context>
<context>
    <name>quire::QuitGuard</name>
    <message>
        <source>One message is not saved yet</source>
        <translation>메시지 하나가 아직 저장되지 않았습니다</translation>
    </message>
    <message>
        <source>%1 messages are not saved yet</source>
        <translation>메시지 %1개가 아직 저장되지 않았습니다</translation>
    </message>
    <message>
        <source>The latest changes are not saved yet</source>
        <translation>최근 변경 내용이 아직 저장되지 않았습니다</translation>
    </message>
    <message>
        <source>While this question stands, Quire goes on trying, and closes when all is saved.</source>
        <translation>이 질문이 떠 있는 동안 Quire가 계속 시도하며, 모두 저장되면 닫힙니다.</translation>
    </message>
    <message>
        <source>The disk is slow.</source>
        <translation>디스크가 느립니다.</translation>
    </message>
    <message>
        <source>Quit and lose 1 message</source>
        <translation>메시지 1개를 버리고 끝내기</translation>
    </message>
    <message>
        <source>Quit and lose %1 messages</source>
        <translation>메시지 %1개를 버리고 끝내기</translation>
    </message>
    <message>
        <source>Quit and lose the latest changes</source>
        <translation>최근 변경 내용을 버리고 끝내기</translation>
    </message>
</context>
<context>
    <name>quire::SettingsModel</name>
    <message>
        <source>As the system</source>
        <translation>시스템에 맞춤</translation>
    </message>
    <message>
        <source>Default: %1 MB</source>
        <translation>기본값: %1 MB</translation>
    </message>
    <message>
        <source>This is a whole number of megabytes, 0 or more; 0 keeps nothing.</source>
        <translation>메가바이트 단위의 0 이상인 정수입니다. 0이면 아무것도 보관하지 않습니다.</translation>
    </message>
    <message>
        <source>Quire</source>
        <translation>Quire</translation>
    </message>
    <message>
        <source>Quire %1</source>
        <translation>Quire %1</translation>
    </message>
    <message>
        <source>%1, %2, Qt %3</source>
        <translation>%1, %2, Qt %3</translation>
    </message>
    <message>
        <source>How %1 answers</source>
        <translation>%1의 답변 방식</translation>
    </message>
</context>
<context>
    <name>quire::StoreRescue</name>
    <message>
        <source>Nothing of it can be read. Whatever you choose, the damaged file is kept.</source>
        <translation>읽을 수 있는 것이 없습니다. 무엇을 고르든 손상된 파일은 남겨 둡니다.</translation>
    </message>
    <message>
        <source>%1 of its chats can still be listed. Whatever you choose, the damaged file is kept.</source>
        <translation>대화 %1개는 아직 목록을 읽을 수 있습니다. 무엇을 고르든 손상된 파일은 남겨 둡니다.</translation>
    </message>
    <message>
        <source>Start afresh with what can be read</source>
        <translation>읽을 수 있는 것으로 새로 시작</translation>
    </message>
    <message>
        <source>Start afresh</source>
        <translation>새로 시작</translation>
    </message>
</context>
<context>
    <name>quire::StoreViewer</name>
    <message>
        <source>Reading…</source>
        <translation>읽는 중…</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>새 대화</translation>
    </message>
    <message>
        <source>No chat of it can be read.</source>
        <translation>읽을 수 있는 대화가 없습니다.</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>답변</translation>
    </message>
    <message>
        <source>You</source>
        <translation>나</translation>
    </message>
    <message>
        <source>No message of this chat can be read.</source>
        <translation>이 대화에서 읽을 수 있는 메시지가 없습니다.</translation>
    </message>
</context>
<context>
    <name>quire::StoreWords</name>
    <message>
        <source>The backup &quot;%1&quot; could not be written: %2. Make room, or choose another folder with --data.</source>
        <translation>백업 &quot;%1&quot;을(를) 쓰지 못했습니다: %2. 공간을 비우거나 --data로 다른 폴더를 고르십시오.</translation>
    </message>
    <message>
        <source>The old backup &quot;%1&quot; cannot be removed. Check the permissions of its folder.</source>
        <translation>오래된 백업 &quot;%1&quot;을(를) 지울 수 없습니다. 폴더의 권한을 확인하십시오.</translation>
    </message>
    <message>
        <source>No backup was made: your chats take %1 MB, and backups may take %2 MB. Allow more in the settings.</source>
        <translation>백업을 만들지 않았습니다. 대화가 %1 MB인데 백업은 %2 MB까지 쓸 수 있습니다. 설정에서 한도를 늘리십시오.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; is damaged (%2). Choose another backup.</source>
        <translation>&quot;%1&quot; 파일이 손상되었습니다(%2). 다른 백업을 고르십시오.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; is damaged (%2). Put a backup in its place; what can still be read is taken over from it.</source>
        <translation>&quot;%1&quot; 파일이 손상되었습니다(%2). 백업으로 바꾸십시오. 아직 읽을 수 있는 것은 옮겨 옵니다.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; cannot be renamed. Check the permissions of its folder.</source>
        <translation>&quot;%1&quot; 파일의 이름을 바꿀 수 없습니다. 폴더의 권한을 확인하십시오.</translation>
    </message>
    <message>
        <source>The backup could not take the place of &quot;%1&quot;. Copy &quot;%2&quot; there.</source>
        <translation>백업으로 &quot;%1&quot;을(를) 바꾸지 못했습니다. &quot;%2&quot;을(를) 그 자리에 복사하십시오.</translation>
    </message>
    <message>
        <source>The folder &quot;%1&quot; cannot be used for Quire&apos;s data: %2. Choose another with --data or change its permissions.</source>
        <translation>&quot;%1&quot; 폴더를 Quire의 데이터에 쓸 수 없습니다: %2. --data로 다른 폴더를 고르거나 권한을 바꾸십시오.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; cannot be written: %2. Choose another folder with --data or change its permissions.</source>
        <translation>&quot;%1&quot; 파일을 쓸 수 없습니다: %2. --data로 다른 폴더를 고르거나 권한을 바꾸십시오.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; is damaged or not a database (%2). Put a backup in its place, or move it away to start with an empty history.</source>
        <translation>&quot;%1&quot; 파일이 손상되었거나 데이터베이스가 아닙니다(%2). 백업으로 바꾸거나, 빈 기록으로 시작하려면 다른 곳으로 옮기십시오.</translation>
    </message>
    <message>
        <source>Qt&apos;s SQLite driver is missing. Install it (Debian and Ubuntu: libqt6sql6-sqlite) and start Quire again.</source>
        <translation>Qt의 SQLite 드라이버가 없습니다. 설치한 뒤(Debian과 Ubuntu: libqt6sql6-sqlite) Quire를 다시 시작하십시오.</translation>
    </message>
    <message>
        <source>There are no conversations in &quot;%1&quot;. Name the folder that holds Quire&apos;s data (quire.db) with --data.</source>
        <translation>&quot;%1&quot;에 대화가 없습니다. Quire의 데이터(quire.db)가 있는 폴더를 --data로 정하십시오.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; is another program&apos;s database. Choose another folder with --data, or move the file away.</source>
        <translation>&quot;%1&quot; 파일은 다른 프로그램의 데이터베이스입니다. --data로 다른 폴더를 고르거나 파일을 옮기십시오.</translation>
    </message>
    <message>
        <source>The disk is full: &quot;%1&quot; could not be written. Free some space and try again; what was saved before is safe.</source>
        <translation>디스크가 가득 차 &quot;%1&quot;에 쓰지 못했습니다. 공간을 비우고 다시 시도하십시오. 전에 저장한 것은 안전합니다.</translation>
    </message>
    <message>
        <source>Another program holds &quot;%1&quot; locked. Close it and try again.</source>
        <translation>다른 프로그램이 &quot;%1&quot;을(를) 잠그고 있습니다. 그 프로그램을 닫고 다시 시도하십시오.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; cannot be read: %2. Check its disk and the folder&apos;s permissions, or choose another folder with --data.</source>
        <translation>&quot;%1&quot; 파일을 읽을 수 없습니다: %2. 디스크와 폴더의 권한을 확인하거나 --data로 다른 폴더를 고르십시오.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; cannot be written: %2. Check its disk and the folder&apos;s permissions, or choose another folder with --data.</source>
        <translation>&quot;%1&quot; 파일에 쓸 수 없습니다: %2. 디스크와 폴더의 권한을 확인하거나 --data로 다른 폴더를 고르십시오.</translation>
    </message>
    <message>
        <source>The table &quot;%1&quot; of &quot;%2&quot; refers to rows that do not exist. Put a backup in its place, or move it away to start with an empty history.</source>
        <translation>&quot;%2&quot;의 표 &quot;%1&quot;이(가) 없는 행을 가리킵니다. 백업으로 바꾸거나, 빈 기록으로 시작하려면 다른 곳으로 옮기십시오.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; was written by a newer Quire (its version is %2, this program knows %3). Update Quire, or choose another folder with --data.</source>
        <translation>&quot;%1&quot; 파일은 더 새로운 Quire가 썼습니다(파일 버전 %2, 이 프로그램은 %3까지). Quire를 업데이트하거나 --data로 다른 폴더를 고르십시오.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; could not be written: %2. Choose another place, or make room.</source>
        <translation>&quot;%1&quot; 파일을 쓰지 못했습니다: %2. 다른 곳을 고르거나 공간을 비우십시오.</translation>
    </message>
    <message>
        <source>In the chat &quot;%1&quot;, message %2 answers one that is not there.</source>
        <translation>&quot;%1&quot; 대화의 메시지 %2이(가) 답하는 메시지가 없습니다.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; was written by a newer Quire. Update Quire, and import it then.</source>
        <translation>&quot;%1&quot; 파일은 더 새로운 Quire가 썼습니다. Quire를 업데이트한 뒤 가져오십시오.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; cannot be read: %2.</source>
        <translation>&quot;%1&quot; 파일을 읽을 수 없습니다: %2.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; cannot be imported: %2. Choose a JSON file that Quire exported.</source>
        <translation>&quot;%1&quot; 파일을 가져올 수 없습니다: %2. Quire에서 내보낸 JSON 파일을 고르십시오.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; cannot be imported: it holds no chats as Quire exports them. Choose a file that Quire exported.</source>
        <translation>&quot;%1&quot; 파일을 가져올 수 없습니다. Quire에서 내보낸 형식의 대화가 없습니다. Quire에서 내보낸 파일을 고르십시오.</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not a file. Choose a file that Quire exported.</source>
        <translation>&quot;%1&quot;은(는) 파일이 아닙니다. Quire에서 내보낸 파일을 고르십시오.</translation>
    </message>
</context>
<context>
    <name>quire::ThoughtClock</name>
    <message>
        <source>Thought</source>
        <translation>생각함</translation>
    </message>
    <message>
        <source>Thought for about %1</source>
        <translation>약 %1 동안 생각함</translation>
    </message>
    <message>
        <source>Thought for %1</source>
        <translation>%1 동안 생각함</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1초</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1분 %2초</translation>
    </message>
</context>
<context>
    <name>quire::TimelineModel</name>
    <message>
        <source>Waiting for its turn…</source>
        <translation>차례를 기다리는 중…</translation>
    </message>
    <message>
        <source>Reading the conversation…</source>
        <translation>대화를 읽는 중…</translation>
    </message>
    <message>
        <source>Stopped before the first word.</source>
        <translation>첫 단어 전에 멈췄습니다.</translation>
    </message>
    <message>
        <source>Stopped by you.</source>
        <translation>답변을 멈췄습니다.</translation>
    </message>
    <message>
        <source>Cut off when Quire closed. What had been written is kept; regenerate for a whole answer.</source>
        <translation>Quire가 닫히면서 끊겼습니다. 쓴 데까지는 남아 있습니다. 전체를 보려면 다시 생성하십시오.</translation>
    </message>
    <message>
        <source>Show less</source>
        <translation>접기</translation>
    </message>
    <message>
        <source>Show all %L1 lines, %L2 characters</source>
        <translation>모두 보기: %L1줄, %L2자</translation>
    </message>
    <message>
        <source>Show all %L1 lines</source>
        <translation>모두 보기: %L1줄</translation>
    </message>
    <message>
        <source>Thought, cut off before an answer</source>
        <translation>생각함, 답하기 전에 끊김</translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation>생각하는 중…</translation>
    </message>
    <message>
        <source>The answer was cut off before its first word; regenerate for a whole one.</source>
        <translation>첫 단어를 쓰기 전에 끊겼습니다. 답변을 보려면 다시 생성하십시오.</translation>
    </message>
</context>
</TS>
