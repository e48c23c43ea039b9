<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ko_KR">
<context>
    <name>AdvancedLink</name>
    <message>
        <source>Hide advanced settings</source>
        <translation>고급 설정 접기</translation>
    </message>
    <message>
        <source>Show advanced settings</source>
        <translation>고급 설정 펼치기</translation>
    </message>
</context>
<context>
    <name>AnswerActions</name>
    <message>
        <source>Copy as Markdown</source>
        <translation>Markdown으로 복사</translation>
    </message>
    <message>
        <source>Regenerate (keeps this version)</source>
        <translation>다시 생성 (이 버전은 남습니다)</translation>
    </message>
    <message>
        <source>More actions</source>
        <translation>더 보기</translation>
    </message>
</context>
<context>
    <name>AnswerColumnView</name>
    <message>
        <source>Keep this one</source>
        <translation>이 답변 선택</translation>
    </message>
    <message>
        <source>Deletes the others; you can undo this for a few seconds</source>
        <translation>나머지 답변은 삭제됩니다. 몇 초 안에 실행을 취소할 수 있습니다</translation>
    </message>
</context>
<context>
    <name>AnswerColumns</name>
    <message>
        <source>Keep all as versions</source>
        <translation>모두 버전으로 남기기</translation>
    </message>
    <message>
        <source>Switch between them with the arrows on the message</source>
        <translation>메시지의 화살표로 버전을 오갈 수 있습니다</translation>
    </message>
    <message>
        <source>Open all as chats</source>
        <translation>모두 별도 대화로 열기</translation>
    </message>
    <message>
        <source>Each continues in its own chat, the first one here</source>
        <translation>답변마다 새 대화로 이어지고, 첫 번째 답변은 여기서 이어집니다</translation>
    </message>
    <message>
        <source>Show previous answers</source>
        <translation>이전 답변 보기</translation>
    </message>
    <message>
        <source>Show next answers</source>
        <translation>다음 답변 보기</translation>
    </message>
    <message>
        <source>Compare answers</source>
        <translation>답변 비교</translation>
    </message>
</context>
<context>
    <name>AnswerFooter</name>
    <message>
        <source>Paused</source>
        <translation>일시 정지됨</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>계속 생성</translation>
    </message>
    <message>
        <source>Continues this answer where it was cut off</source>
        <translation>끊긴 곳부터 답변을 계속 생성합니다</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>다시 생성</translation>
    </message>
    <message>
        <source>Choose another model</source>
        <translation>다른 모델 선택</translation>
    </message>
</context>
<context>
    <name>AppHeader</name>
    <message>
        <source>Paused</source>
        <translation>일시 정지됨</translation>
    </message>
    <message>
        <source>Hide engine panel</source>
        <translation>엔진 패널 숨기기</translation>
    </message>
    <message>
        <source>Show engine panel</source>
        <translation>엔진 패널 표시</translation>
    </message>
    <message>
        <source>Back to chat</source>
        <translation>대화로 돌아가기</translation>
    </message>
    <message>
        <source>Back to chat (Esc)</source>
        <translation>대화로 돌아가기(Esc)</translation>
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
        <source>Light</source>
        <translation>라이트</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>다크</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>언어</translation>
    </message>
    <message>
        <source>Light, dark, or the same as the system.</source>
        <translation>라이트, 다크, 또는 시스템 설정을 따릅니다.</translation>
    </message>
    <message>
        <source>Default: System</source>
        <translation>기본값: 시스템 설정</translation>
    </message>
    <message>
        <source>System</source>
        <translation>시스템 설정</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>글자 크기</translation>
    </message>
    <message>
        <source>Scales all text.</source>
        <translation>모든 글자의 크기를 조절합니다.</translation>
    </message>
    <message>
        <source>Default: 100%</source>
        <translation>기본값: 100%</translation>
    </message>
    <message>
        <source>%1%</source>
        <translation>%1%</translation>
    </message>
    <message>
        <source>For the window. Models answer in the language you write.</source>
        <translation>화면에 표시할 언어입니다. 모델은 사용자가 쓰는 언어로 답변합니다.</translation>
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
        <source>Temperatures, one for each answer</source>
        <translation>답변별 온도</translation>
    </message>
    <message>
        <source>Vary by</source>
        <translation>다르게 할 항목</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>시드</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>온도</translation>
    </message>
    <message>
        <source>Persona</source>
        <translation>페르소나</translation>
    </message>
    <message>
        <source>Number of answers</source>
        <translation>답변 수</translation>
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
        <translation>텍스트, 코드, CSV, PDF 파일을 추가합니다. 끌어 놓거나 붙여 넣을 수도 있습니다</translation>
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
    <name>AttachmentChip</name>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Opens the file&apos;s text</source>
        <translation>파일의 텍스트를 엽니다</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 제거</translation>
    </message>
</context>
<context>
    <name>AttachmentChips</name>
    <message>
        <source>Attached files</source>
        <translation>첨부 파일</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>외 %1개</translation>
    </message>
</context>
<context>
    <name>AttachmentFile</name>
    <message>
        <source>%1 cannot be read: %2.</source>
        <translation>%1 파일을 읽을 수 없습니다: %2.</translation>
    </message>
    <message>
        <source>%1 is empty.</source>
        <translation>%1 파일이 비어 있습니다.</translation>
    </message>
    <message>
        <source>%1 was not found.</source>
        <translation>%1 파일을 찾을 수 없습니다.</translation>
    </message>
    <message>
        <source>%1 is a folder. Attach its files one by one.</source>
        <translation>%1 항목은 폴더입니다. 안에 있는 파일을 하나씩 첨부하세요.</translation>
    </message>
    <message>
        <source>%1 is a pipe or a device. Save its contents as a file and attach that.</source>
        <translation>%1 항목은 파이프나 장치입니다. 내용을 파일로 저장한 뒤 그 파일을 첨부하세요.</translation>
    </message>
    <message>
        <source>%1 is too large (%2; limit %3).</source>
        <translation>%1 파일이 너무 큽니다(%2, 최대 %3).</translation>
    </message>
    <message>
        <source>%1 is not a text file. You can attach text, Markdown, code, CSV and PDF files.</source>
        <translation>%1 파일은 텍스트 파일이 아닙니다. 텍스트, Markdown, 코드, CSV, PDF 파일을 첨부할 수 있습니다.</translation>
    </message>
</context>
<context>
    <name>AttachmentSheet</name>
    <message>
        <source>Copy text</source>
        <translation>텍스트 복사</translation>
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
        <translation>%1 백업에서 없는 내용만 복원</translation>
    </message>
</context>
<context>
    <name>BenchCard</name>
    <message>
        <source>Measure this machine</source>
        <translation>이 컴퓨터 성능 측정</translation>
    </message>
    <message>
        <source>Measures the model in use with 1, 4 and 16 chats in about half a minute, and makes a text that you can share. It names the processor, the model and the speed, but nothing about you: no user name, no paths, no chats.</source>
        <translation>사용 중인 모델을 대화 1개, 4개, 16개로 약 30초 동안 측정해 공유할 수 있는 글을 만듭니다. 프로세서와 모델, 속도만 적고 사용자 이름, 경로, 대화 내용 같은 개인정보는 넣지 않습니다.</translation>
    </message>
    <message>
        <source>Measuring</source>
        <translation>측정 중</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>측정</translation>
    </message>
    <message>
        <source>Measure again</source>
        <translation>다시 측정</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>복사</translation>
    </message>
</context>
<context>
    <name>BlockCard</name>
    <message>
        <source>Cache blocks</source>
        <translation>캐시 블록</translation>
    </message>
    <message>
        <source>%1 in use</source>
        <translation>%1 사용 중</translation>
    </message>
    <message>
        <source>Each square is a block of cache memory. Select one to see its text.</source>
        <translation>사각형 하나가 캐시 블록 하나입니다. 선택하면 내용을 볼 수 있습니다.</translation>
    </message>
</context>
<context>
    <name>BlockKey</name>
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
        <source>Close block text</source>
        <translation>블록 내용 닫기</translation>
    </message>
</context>
<context>
    <name>CancelDownloadCard</name>
    <message>
        <source>Cancel this download?</source>
        <translation>다운로드를 취소할까요?</translation>
    </message>
    <message>
        <source>Pause and keep</source>
        <translation>일시 정지하고 남기기</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>남기기</translation>
    </message>
    <message>
        <source>Cancel and delete</source>
        <translation>취소하고 삭제</translation>
    </message>
    <message>
        <source>Keep downloading</source>
        <translation>계속 다운로드</translation>
    </message>
</context>
<context>
    <name>ChatArea</name>
    <message>
        <source>See how to fix it</source>
        <translation>해결 방법 보기</translation>
    </message>
    <message>
        <source>Drop to attach to your message</source>
        <translation>놓으면 메시지에 첨부됩니다</translation>
    </message>
    <message>
        <source>Choose another model</source>
        <translation>다른 모델 선택</translation>
    </message>
</context>
<context>
    <name>ChatFork</name>
    <message>
        <source>(fork)</source>
        <translation>(분기)</translation>
    </message>
</context>
<context>
    <name>ChatHeader</name>
    <message>
        <source>Chat settings</source>
        <translation>대화 설정</translation>
    </message>
    <message>
        <source>Close pane (Ctrl+W); the chat is kept</source>
        <translation>분할 창 닫기 (Ctrl+W). 대화는 그대로 남습니다</translation>
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
    <name>ChatRow</name>
    <message>
        <source>%1, new answer</source>
        <translation>%1, 새 답변</translation>
    </message>
    <message>
        <source>%1, answering</source>
        <translation>%1, 답변 중</translation>
    </message>
</context>
<context>
    <name>ChatRowContent</name>
    <message>
        <source>Chat menu</source>
        <translation>대화 메뉴</translation>
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
        <translation>폴더로 이동</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>새 폴더</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>내보내기…</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>보관</translation>
    </message>
    <message>
        <source>Open in new pane</source>
        <translation>새 분할 창에서 열기</translation>
    </message>
    <message>
        <source>Remove from folder</source>
        <translation>폴더에서 제거</translation>
    </message>
    <message>
        <source>Unarchive</source>
        <translation>보관 해제</translation>
    </message>
</context>
<context>
    <name>ChatSheet</name>
    <message>
        <source>Persona</source>
        <translation>페르소나</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Chat settings: %1</source>
        <translation>대화 설정: %1</translation>
    </message>
    <message>
        <source>Changing it re-reads the chat once.</source>
        <translation>바꾸면 대화를 한 번 다시 읽습니다.</translation>
    </message>
    <message>
        <source>The model that answers in this chat.</source>
        <translation>이 대화에서 답변하는 모델입니다.</translation>
    </message>
    <message>
        <source>Context used</source>
        <translation>사용한 컨텍스트</translation>
    </message>
    <message>
        <source>Tokens in this chat, out of the model&apos;s context.</source>
        <translation>모델 컨텍스트 중 이 대화가 사용하는 토큰입니다.</translation>
    </message>
    <message>
        <source>Sampling in this chat</source>
        <translation>이 대화의 샘플링</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>시스템 프롬프트</translation>
    </message>
    <message>
        <source>For this chat only, while it has no persona. Changing it re-reads the chat once.</source>
        <translation>페르소나가 없을 때 이 대화에만 적용됩니다. 바꾸면 대화를 한 번 다시 처리합니다.</translation>
    </message>
    <message>
        <source>System prompt of this chat</source>
        <translation>이 대화의 시스템 프롬프트</translation>
    </message>
    <message>
        <source>You are…</source>
        <translation>당신은…</translation>
    </message>
</context>
<context>
    <name>CodeBar</name>
    <message>
        <source>Wrap</source>
        <translation>줄 바꿈</translation>
    </message>
    <message>
        <source>Don&apos;t wrap</source>
        <translation>줄 바꿈 안 함</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Your message</source>
        <translation>메시지</translation>
    </message>
</context>
<context>
    <name>ComposerBar</name>
    <message>
        <source>Send</source>
        <translation>보내기</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>Stop (Esc); keeps what is written</source>
        <translation>중지 (Esc). 지금까지 생성한 내용은 남습니다</translation>
    </message>
</context>
<context>
    <name>ContextMeter</name>
    <message>
        <source>Context used: %1 tokens</source>
        <translation>사용한 컨텍스트: %1토큰</translation>
    </message>
    <message>
        <source>%1 tokens of the model&apos;s context</source>
        <translation>모델 컨텍스트 중 %1토큰 사용</translation>
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
    <name>CopyMessageButton</name>
    <message>
        <source>Copied</source>
        <translation>복사됨</translation>
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
        <source>No backups yet. Quire makes one on each day you use it.</source>
        <translation>아직 백업이 없습니다. Quire를 사용하는 날마다 하나씩 만듭니다.</translation>
    </message>
    <message>
        <source>Restoring a backup adds what is missing; nothing newer is overwritten.</source>
        <translation>백업을 복원하면 없는 내용만 추가합니다. 더 새로운 내용은 덮어쓰지 않습니다.</translation>
    </message>
</context>
<context>
    <name>DeleteModelSheet</name>
    <message>
        <source>Deleting…</source>
        <translation>삭제하는 중…</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>휴지통으로 이동</translation>
    </message>
    <message>
        <source>Delete for good</source>
        <translation>완전히 삭제</translation>
    </message>
    <message>
        <source>Frees the space at once. The files cannot be restored.</source>
        <translation>공간이 바로 비워집니다. 파일은 복원할 수 없습니다.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
</context>
<context>
    <name>DetailsCard</name>
    <message>
        <source>About this answer</source>
        <translation>이 답변의 정보</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
</context>
<context>
    <name>DownloadRow</name>
    <message>
        <source>Download %1 earlier</source>
        <translation>%1 먼저 다운로드</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>일시 정지</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>계속</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>불러오기</translation>
    </message>
    <message>
        <source>New messages go to this model</source>
        <translation>새 메시지를 이 모델로 보냅니다</translation>
    </message>
    <message>
        <source>Remove %1 from this list</source>
        <translation>목록에서 %1 제거</translation>
    </message>
    <message>
        <source>Cancel the download of %1</source>
        <translation>%1 다운로드 취소</translation>
    </message>
    <message>
        <source>Add a token</source>
        <translation>토큰 추가</translation>
    </message>
</context>
<context>
    <name>DownloadStrip</name>
    <message>
        <source>Downloads</source>
        <translation>다운로드</translation>
    </message>
</context>
<context>
    <name>DuplicateRow</name>
    <message>
        <source>%1 each</source>
        <translation>각각 %1</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>삭제…</translation>
    </message>
    <message>
        <source>Delete the copy in %1</source>
        <translation>%1에 있는 사본 삭제</translation>
    </message>
</context>
<context>
    <name>DuplicatesSheet</name>
    <message>
        <source>Duplicates</source>
        <translation>중복 모델</translation>
    </message>
    <message>
        <source>Files are compared by the hashes of all their bytes. Only files of equal size are read, and each is read once.</source>
        <translation>해시로 파일의 모든 바이트를 비교합니다. 크기가 같은 파일만 한 번씩 읽습니다.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>완료</translation>
    </message>
</context>
<context>
    <name>EndpointFields</name>
    <message>
        <source>Address</source>
        <translation>주소</translation>
    </message>
    <message>
        <source>https://api.example.com or 192.168.1.20:8000</source>
        <translation>https://api.example.com 또는 192.168.1.20:8000</translation>
    </message>
    <message>
        <source>Key (optional)</source>
        <translation>키(선택)</translation>
    </message>
    <message>
        <source>It is kept in the system&apos;s keychain, never in your chats&apos; database or in exports.</source>
        <translation>시스템 키체인에 보관되며, 대화 데이터베이스나 내보낸 파일에는 저장되지 않습니다.</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>키</translation>
    </message>
    <message>
        <source>Name (optional)</source>
        <translation>이름(선택)</translation>
    </message>
    <message>
        <source>Name of the machine</source>
        <translation>컴퓨터 이름</translation>
    </message>
    <message>
        <source>Prices (optional)</source>
        <translation>가격(선택)</translation>
    </message>
    <message>
        <source>In US dollars per million tokens. Answers then show what they cost.</source>
        <translation>100만 토큰당 미국 달러입니다. 입력하면 답변마다 비용이 표시됩니다.</translation>
    </message>
    <message>
        <source>Price of a million tokens in</source>
        <translation>입력 100만 토큰 가격</translation>
    </message>
    <message>
        <source>In</source>
        <translation>입력</translation>
    </message>
    <message>
        <source>Price of a million tokens out</source>
        <translation>출력 100만 토큰 가격</translation>
    </message>
    <message>
        <source>Out</source>
        <translation>출력</translation>
    </message>
</context>
<context>
    <name>EndpointModelPicker</name>
    <message>
        <source>Models</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Search models</source>
        <translation>모델 검색</translation>
    </message>
    <message>
        <source>Name of another model</source>
        <translation>다른 모델의 이름</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>추가</translation>
    </message>
</context>
<context>
    <name>EndpointSheet</name>
    <message>
        <source>Add a machine</source>
        <translation>컴퓨터 추가</translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation>%1 변경</translation>
    </message>
    <message>
        <source>Any server with the API of OpenAI: vLLM, SGLang, llama.cpp, Ollama, or a hosted service. A chat that uses one of its models sends all its messages and files there.</source>
        <translation>OpenAI API를 제공하는 서버라면 무엇이든 됩니다: vLLM, SGLang, llama.cpp, Ollama, 호스팅 서비스. 그 모델을 쓰는 대화는 모든 메시지와 파일을 그곳으로 보냅니다.</translation>
    </message>
    <message>
        <source>Testing…</source>
        <translation>테스트 중…</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>테스트</translation>
    </message>
</context>
<context>
    <name>EndpointTile</name>
    <message>
        <source>Edit</source>
        <translation>편집</translation>
    </message>
    <message>
        <source>Remove %1 and its key. Its chats stay.</source>
        <translation>%1 및 키 제거. 대화는 남습니다.</translation>
    </message>
    <message>
        <source>New chat with %1</source>
        <translation>%1 모델로 새 대화</translation>
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
        <source>Time to first token</source>
        <translation>첫 토큰까지 걸린 시간</translation>
    </message>
    <message>
        <source>Between tokens</source>
        <translation>토큰 사이 간격</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>캐시</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>속도</translation>
    </message>
    <message>
        <source>Activity</source>
        <translation>작업 현황</translation>
    </message>
    <message>
        <source>Time range</source>
        <translation>시간 범위</translation>
    </message>
    <message>
        <source>60 seconds</source>
        <translation>60초</translation>
    </message>
    <message>
        <source>10 minutes</source>
        <translation>10분</translation>
    </message>
    <message>
        <source>Recent prompts</source>
        <translation>최근 프롬프트</translation>
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
        <source>Speed</source>
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
        <source>Time between tokens in each chat</source>
        <translation>대화별 토큰 사이 간격</translation>
    </message>
    <message>
        <source>Chats answering at once</source>
        <translation>동시에 답변 중인 대화</translation>
    </message>
    <message>
        <source>Cache blocks in use</source>
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
        <source>Default: never</source>
        <translation>기본값: 안 함</translation>
    </message>
    <message>
        <source>Apply now</source>
        <translation>지금 적용</translation>
    </message>
    <message>
        <source>Defaults for models without their own settings.</source>
        <translation>따로 설정하지 않은 모델에 적용되는 기본값입니다.</translation>
    </message>
    <message>
        <source>Loaded models</source>
        <translation>불러온 모델</translation>
    </message>
    <message>
        <source>Reloads them with these settings</source>
        <translation>이 설정으로 다시 불러옵니다</translation>
    </message>
    <message>
        <source>Unload idle models</source>
        <translation>사용하지 않는 모델을 메모리에서 해제</translation>
    </message>
    <message>
        <source>Frees their memory. They load again automatically when a chat needs them.</source>
        <translation>메모리를 확보합니다. 대화에 필요하면 자동으로 다시 불러옵니다.</translation>
    </message>
</context>
<context>
    <name>EraseCard</name>
    <message>
        <source>Every backup is rewritten without these messages, and their entries in the KV cache on disk are removed. This cannot be undone. Exported files and damaged files that were set aside are not changed.</source>
        <translation>모든 백업을 이 메시지 없이 다시 쓰고, 디스크의 KV 캐시에서도 해당 항목을 삭제합니다. 되돌릴 수 없습니다. 내보낸 파일과 따로 보관한 손상된 파일은 바뀌지 않습니다.</translation>
    </message>
    <message>
        <source>Delete everywhere</source>
        <translation>모두 삭제</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
</context>
<context>
    <name>FigureColumn</name>
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
        <translation>개인정보 보호</translation>
    </message>
    <message>
        <source>Parallel</source>
        <translation>동시 대화</translation>
    </message>
    <message>
        <source>What you write stays on this computer, unless you choose a remote model.</source>
        <translation>원격 모델을 선택하지 않는 한, 입력한 내용은 이 컴퓨터에 머무릅니다.</translation>
    </message>
    <message>
        <source>Many chats run at once; what they share is computed once.</source>
        <translation>여러 대화를 동시에 진행하고, 공통된 부분은 한 번만 계산합니다.</translation>
    </message>
    <message>
        <source>Safe</source>
        <translation>안전한 저장</translation>
    </message>
    <message>
        <source>Messages are saved before they are answered, and survive a crash.</source>
        <translation>메시지는 답변하기 전에 저장되어, 프로그램이 갑자기 종료되어도 남습니다.</translation>
    </message>
</context>
<context>
    <name>FirstRunPersonas</name>
    <message>
        <source>Pick up to four personas to message at once</source>
        <translation>동시에 대화할 페르소나를 4개까지 선택하세요</translation>
    </message>
    <message>
        <source>One persona</source>
        <translation>페르소나 하나만</translation>
    </message>
</context>
<context>
    <name>FolderChip</name>
    <message>
        <source>Stop scanning %1. No files are changed.</source>
        <translation>%1 폴더 검색 중지. 파일은 변경되지 않습니다.</translation>
    </message>
</context>
<context>
    <name>FolderRow</name>
    <message>
        <source>Folder %1, open; chats: %2</source>
        <translation>폴더 %1, 펼침, 대화 %2개</translation>
    </message>
    <message>
        <source>Folder %1, closed; chats: %2</source>
        <translation>폴더 %1, 접힘, 대화 %2개</translation>
    </message>
    <message>
        <source>New folder name</source>
        <translation>새 폴더 이름</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>새 폴더</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>이름 바꾸기</translation>
    </message>
    <message>
        <source>Delete folder, keep chats</source>
        <translation>폴더만 삭제하고 대화는 남기기</translation>
    </message>
</context>
<context>
    <name>FormulaBlock</name>
    <message>
        <source>Copy formula source</source>
        <translation>수식 원본 복사</translation>
    </message>
</context>
<context>
    <name>FoundModelsView</name>
    <message>
        <source>Models found</source>
        <translation>찾은 모델</translation>
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
        <source>Reset all</source>
        <translation>모두 기본값 복원</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>샘플링</translation>
    </message>
</context>
<context>
    <name>GetModelsOptions</name>
    <message>
        <source>Download options</source>
        <translation>다운로드 옵션</translation>
    </message>
    <message>
        <source>Shown</source>
        <translation>펼침</translation>
    </message>
    <message>
        <source>Hidden</source>
        <translation>접힘</translation>
    </message>
    <message>
        <source>Speed limit</source>
        <translation>속도 제한</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>폴더</translation>
    </message>
    <message>
        <source>Folder for downloaded models</source>
        <translation>다운로드한 모델의 폴더</translation>
    </message>
    <message>
        <source>Choose a folder for models</source>
        <translation>모델 폴더 선택</translation>
    </message>
    <message>
        <source>Mirror of Hugging Face (optional)</source>
        <translation>Hugging Face 미러(선택)</translation>
    </message>
    <message>
        <source>Address of a mirror</source>
        <translation>미러 주소</translation>
    </message>
    <message>
        <source>For all downloads together.</source>
        <translation>모든 다운로드에 함께 적용됩니다.</translation>
    </message>
    <message>
        <source>256 MB of its disk always stay free.</source>
        <translation>이 디스크에는 항상 256MB를 남겨 둡니다.</translation>
    </message>
    <message>
        <source>Used instead of %1.</source>
        <translation>%1 대신 사용합니다.</translation>
    </message>
</context>
<context>
    <name>GetModelsSearch</name>
    <message>
        <source>Search models, or type a name</source>
        <translation>모델을 검색하거나 이름 입력</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>검색</translation>
    </message>
    <message>
        <source>Search Hugging Face by words, or open a model by its name or link: Qwen/Qwen3-8B-GGUF, or qwen3:8b from Ollama. Nothing is sent until you search.</source>
        <translation>Hugging Face에서 단어로 검색하거나 이름이나 링크로 모델을 여세요. 예: Qwen/Qwen3-8B-GGUF, Ollama의 qwen3:8b. 검색하기 전에는 아무것도 전송하지 않습니다.</translation>
    </message>
</context>
<context>
    <name>GetModelsSheet</name>
    <message>
        <source>Get models</source>
        <translation>모델 받기</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>완료</translation>
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
    <name>HubProgress</name>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
</context>
<context>
    <name>HubTokenCard</name>
    <message>
        <source>This model asks for consent</source>
        <translation>동의가 필요한 모델입니다</translation>
    </message>
    <message>
        <source>Access token</source>
        <translation>액세스 토큰</translation>
    </message>
    <message>
        <source>Save token</source>
        <translation>토큰 저장</translation>
    </message>
    <message>
        <source>Sign in to your account on the model&apos;s page and agree to its terms. Then paste an access token of that account here. The token is kept in the system&apos;s keychain and sent only to this hub.</source>
        <translation>내 계정으로 로그인해 모델 페이지에서 약관에 동의하세요. 그런 다음 그 계정의 액세스 토큰을 여기에 붙여넣으세요. 토큰은 시스템 키체인에 보관하고 이 허브에만 전송합니다.</translation>
    </message>
    <message>
        <source>Open page</source>
        <translation>페이지 열기</translation>
    </message>
</context>
<context>
    <name>ImportCard</name>
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
    <message>
        <source>Adds chats you don&apos;t have. Nothing is overwritten.</source>
        <translation>없는 대화만 가져오고 기존 대화는 덮어쓰지 않습니다.</translation>
    </message>
</context>
<context>
    <name>LatestButton</name>
    <message>
        <source>Jump to latest</source>
        <translation>최신 메시지로 이동</translation>
    </message>
</context>
<context>
    <name>LinkDialog</name>
    <message>
        <source>Open this link in your browser?</source>
        <translation>이 링크를 브라우저에서 열까요?</translation>
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
    <message>
        <source>A model wrote this link; it may lead anywhere.</source>
        <translation>모델이 작성한 링크이므로 어디로 연결될지 알 수 없습니다.</translation>
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
    <message>
        <source>Opening your chats…</source>
        <translation>대화를 여는 중…</translation>
    </message>
</context>
<context>
    <name>MessageMenu</name>
    <message>
        <source>Copy selection</source>
        <translation>선택한 부분 복사</translation>
    </message>
    <message>
        <source>Ctrl+C</source>
        <translation>Ctrl+C</translation>
    </message>
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
        <source>Edit</source>
        <translation>편집</translation>
    </message>
    <message>
        <source>Three answers side by side</source>
        <translation>답변 3개 나란히 비교</translation>
    </message>
    <message>
        <source>Fork from here</source>
        <translation>여기서 분기</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>삭제</translation>
    </message>
    <message>
        <source>Edit answer</source>
        <translation>답변 편집</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>다시 생성</translation>
    </message>
    <message>
        <source>Regenerate with</source>
        <translation>다른 방식으로 다시 생성</translation>
    </message>
    <message>
        <source>Precise (temperature 0.2)</source>
        <translation>정확하게 (온도 0.2)</translation>
    </message>
    <message>
        <source>Creative (temperature 1.2)</source>
        <translation>창의적으로 (온도 1.2)</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>계속 생성</translation>
    </message>
    <message>
        <source>complete</source>
        <translation>완료</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>상세 정보</translation>
    </message>
</context>
<context>
    <name>ModelActions</name>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
    <message>
        <source>Reads the file once more</source>
        <translation>파일을 한 번 더 읽습니다</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>사용</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>메모리에서 해제</translation>
    </message>
    <message>
        <source>Options: context, device, memory</source>
        <translation>옵션: 컨텍스트, 장치, 메모리</translation>
    </message>
    <message>
        <source>New messages go to this model</source>
        <translation>새 메시지를 이 모델로 보냅니다</translation>
    </message>
    <message>
        <source>Frees its memory</source>
        <translation>메모리를 확보합니다</translation>
    </message>
    <message>
        <source>Close options</source>
        <translation>옵션 닫기</translation>
    </message>
    <message>
        <source>More actions for %1</source>
        <translation>%1 추가 메뉴</translation>
    </message>
    <message>
        <source>Show in file manager</source>
        <translation>파일 관리자에서 보기</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>경로 복사</translation>
    </message>
    <message>
        <source>Remove from list</source>
        <translation>목록에서 제거</translation>
    </message>
    <message>
        <source>Quantise…</source>
        <translation>양자화…</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>이름 바꾸기…</translation>
    </message>
    <message>
        <source>Move to another folder…</source>
        <translation>다른 폴더로 이동…</translation>
    </message>
    <message>
        <source>Verify files</source>
        <translation>파일 검증</translation>
    </message>
    <message>
        <source>Delete from disk…</source>
        <translation>디스크에서 삭제…</translation>
    </message>
</context>
<context>
    <name>ModelDrop</name>
    <message>
        <source>Drop to load this model</source>
        <translation>놓으면 복사하지 않고 현재 위치에서 불러옵니다</translation>
    </message>
</context>
<context>
    <name>ModelFileRow</name>
    <message>
        <source>Good choice</source>
        <translation>추천</translation>
    </message>
</context>
<context>
    <name>ModelFilesHead</name>
    <message>
        <source>Back to the results</source>
        <translation>검색 결과로 돌아가기</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>뒤로</translation>
    </message>
    <message>
        <source>Open page</source>
        <translation>페이지 열기</translation>
    </message>
</context>
<context>
    <name>ModelFilesStrip</name>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>보기</translation>
    </message>
</context>
<context>
    <name>ModelFolders</name>
    <message>
        <source>Find duplicates</source>
        <translation>중복 찾기</translation>
    </message>
</context>
<context>
    <name>ModelMenu</name>
    <message>
        <source>All models…</source>
        <translation>모든 모델…</translation>
    </message>
    <message>
        <source>Always use this model in this chat</source>
        <translation>이 대화에서 항상 이 모델 사용</translation>
    </message>
    <message>
        <source>Answer on this computer again</source>
        <translation>다시 이 컴퓨터에서 답변</translation>
    </message>
    <message>
        <source>Search models</source>
        <translation>모델 검색</translation>
    </message>
</context>
<context>
    <name>ModelOffersView</name>
    <message>
        <source>Models to download</source>
        <translation>다운로드할 모델</translation>
    </message>
    <message>
        <source>Asks Hugging Face for models that fit this computer</source>
        <translation>이 컴퓨터에 맞는 모델을 Hugging Face에 문의합니다</translation>
    </message>
</context>
<context>
    <name>ModelOptionRow</name>
    <message>
        <source>Default: %1</source>
        <translation>기본값: %1</translation>
    </message>
    <message>
        <source>Reset to %1</source>
        <translation>기본값 복원: %1</translation>
    </message>
</context>
<context>
    <name>ModelOptionsView</name>
    <message>
        <source>Context</source>
        <translation>컨텍스트</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>스레드</translation>
    </message>
    <message>
        <source>Memory for chats</source>
        <translation>대화용 메모리</translation>
    </message>
    <message>
        <source>Memory for chats in MiB</source>
        <translation>대화용 메모리(MiB)</translation>
    </message>
    <message>
        <source>Unload when idle</source>
        <translation>쉬는 동안 메모리에서 해제</translation>
    </message>
    <message>
        <source>Maximum tokens in a chat</source>
        <translation>대화 하나의 최대 토큰 수</translation>
    </message>
    <message>
        <source>GPU if available</source>
        <translation>가능하면 GPU</translation>
    </message>
    <message>
        <source>CPU threads</source>
        <translation>CPU 스레드 수</translation>
    </message>
    <message>
        <source>MiB for the KV cache, shared by all chats</source>
        <translation>모든 대화가 함께 쓰는 KV 캐시 크기(MiB)</translation>
    </message>
    <message>
        <source>Cache precision</source>
        <translation>캐시 정밀도</translation>
    </message>
    <message>
        <source>8 bit holds almost twice as much as 16 bit, with little quality loss</source>
        <translation>8비트는 품질 손실이 거의 없이 16비트의 두 배 가까이 담습니다</translation>
    </message>
    <message>
        <source>Prompt batch size</source>
        <translation>프롬프트 배치 크기</translation>
    </message>
    <message>
        <source>Larger reads long prompts faster; smaller keeps answers smooth</source>
        <translation>크면 긴 프롬프트를 더 빨리 읽고, 작으면 답변이 더 고르게 나옵니다</translation>
    </message>
    <message>
        <source>Frees its memory; it loads again when a chat needs it</source>
        <translation>메모리를 확보합니다. 대화에 필요하면 다시 불러옵니다</translation>
    </message>
    <message>
        <source>Sampling…</source>
        <translation>샘플링…</translation>
    </message>
</context>
<context>
    <name>ModelProgress</name>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Cancels loading. Models already loaded keep answering.</source>
        <translation>불러오기를 취소합니다. 이미 불러온 모델은 계속 답변합니다.</translation>
    </message>
</context>
<context>
    <name>ModelsHead</name>
    <message>
        <source>Models</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Add a folder</source>
        <translation>폴더 추가</translation>
    </message>
    <message>
        <source>Search models</source>
        <translation>모델 검색</translation>
    </message>
    <message>
        <source>Stop scanning</source>
        <translation>검색 중지</translation>
    </message>
    <message>
        <source>Rescan</source>
        <translation>다시 검색</translation>
    </message>
    <message>
        <source>Scans your folders and those of other applications</source>
        <translation>내 폴더와 다른 앱의 폴더에서 모델을 검색합니다</translation>
    </message>
    <message>
        <source>Choose a folder with models</source>
        <translation>모델이 있는 폴더를 선택합니다</translation>
    </message>
    <message>
        <source>No matching models</source>
        <translation>일치하는 모델이 없습니다</translation>
    </message>
    <message>
        <source>Sort by</source>
        <translation>정렬 기준</translation>
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
    <message>
        <source>Add</source>
        <translation>추가</translation>
    </message>
    <message>
        <source>Folder path</source>
        <translation>폴더 경로</translation>
    </message>
    <message>
        <source>Type a path such as ~/models, or drop a folder here</source>
        <translation>~/models 같은 경로를 입력하거나 폴더를 여기에 끌어 놓으세요</translation>
    </message>
    <message>
        <source>Add a machine</source>
        <translation>컴퓨터 추가</translation>
    </message>
    <message>
        <source>Models on another machine, or of a hosted service</source>
        <translation>다른 컴퓨터나 호스팅 서비스의 모델</translation>
    </message>
    <message>
        <source>Get models</source>
        <translation>모델 받기</translation>
    </message>
    <message>
        <source>Finds and downloads models</source>
        <translation>모델을 찾아 다운로드합니다</translation>
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
        <source>Scanning for models…</source>
        <translation>모델 검색 중…</translation>
    </message>
    <message>
        <source>Quire scanned the folders of LM Studio, Ollama, GPT4All, Jan, llama.cpp and the Hugging Face libraries. Drop a GGUF file or a folder onto the window, or add a folder. Models load from their current folder; nothing is copied.</source>
        <translation>LM Studio, Ollama, GPT4All, Jan, llama.cpp, Hugging Face 라이브러리의 폴더를 검색했습니다. GGUF 파일이나 폴더를 창에 끌어 놓거나 폴더를 추가하세요. 모델은 복사하지 않고 현재 위치에서 불러옵니다.</translation>
    </message>
    <message>
        <source>No models of your own yet</source>
        <translation>아직 직접 추가한 모델이 없습니다</translation>
    </message>
    <message>
        <source>Add a folder</source>
        <translation>폴더 추가</translation>
    </message>
    <message>
        <source>Choose a folder with models</source>
        <translation>모델이 있는 폴더 선택</translation>
    </message>
</context>
<context>
    <name>MoveModelSheet</name>
    <message>
        <source>New folder</source>
        <translation>새 폴더</translation>
    </message>
    <message>
        <source>Folder to move the model to</source>
        <translation>모델을 옮길 폴더</translation>
    </message>
    <message>
        <source>Choose a folder for the model</source>
        <translation>모델을 옮길 폴더 선택</translation>
    </message>
    <message>
        <source>The original is deleted only after its copy has been read back and found equal. Chats will use the model at its new place.</source>
        <translation>사본을 다시 읽어 같은지 확인할 때까지 원본은 그대로 있습니다. 대화는 새 위치의 모델을 찾아 씁니다.</translation>
    </message>
    <message>
        <source>Move</source>
        <translation>이동</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>The model stays at its old place</source>
        <translation>모델은 원래 위치에 그대로 있습니다</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
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
        <source>Dismiss</source>
        <translation>닫기</translation>
    </message>
</context>
<context>
    <name>NotificationSection</name>
    <message>
        <source>Notifications</source>
        <translation>알림</translation>
    </message>
    <message>
        <source>When an answer is ready</source>
        <translation>답변이 준비되면 알림</translation>
    </message>
    <message>
        <source>Shows a notification while you are in another window. It names the chat, not what was written.</source>
        <translation>다른 창을 쓰는 동안 알림을 표시합니다. 대화 제목만 표시하고 내용은 표시하지 않습니다.</translation>
    </message>
    <message>
        <source>Default: On</source>
        <translation>기본값: 켜짐</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>소리</translation>
    </message>
    <message>
        <source>The desktop plays its sound for messages.</source>
        <translation>데스크톱의 메시지 알림음을 재생합니다.</translation>
    </message>
    <message>
        <source>Default: Off</source>
        <translation>기본값: 꺼짐</translation>
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
    <name>OfferCard</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>PaneArea</name>
    <message>
        <source>Divider between columns %1 and %2</source>
        <translation>%1열과 %2열 사이의 구분선</translation>
    </message>
    <message>
        <source>Divider between rows %1 and %2</source>
        <translation>%1행과 %2행 사이의 구분선</translation>
    </message>
    <message>
        <source>Open in new pane</source>
        <translation>새 분할 창에서 열기</translation>
    </message>
</context>
<context>
    <name>PaneSlot</name>
    <message>
        <source>Open here</source>
        <translation>여기서 열기</translation>
    </message>
</context>
<context>
    <name>PaneSwitch</name>
    <message numerus="yes">
        <source>Layout: %n pane(s)</source>
        <translation>
            <numerusform>레이아웃: 분할 창 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>레이아웃</translation>
    </message>
    <message numerus="yes">
        <source>%n pane(s)</source>
        <translation>
            <numerusform>분할 창 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>Ctrl+%1</source>
        <translation>Ctrl+%1</translation>
    </message>
    <message>
        <source>Add pane</source>
        <translation>분할 창 추가</translation>
    </message>
</context>
<context>
    <name>PaneTab</name>
    <message>
        <source>%1, answering</source>
        <translation>%1, 답변 중</translation>
    </message>
</context>
<context>
    <name>PaneTabs</name>
    <message>
        <source>Panes</source>
        <translation>분할 창</translation>
    </message>
</context>
<context>
    <name>PausedBar</name>
    <message>
        <source>Try now</source>
        <translation>지금 시도</translation>
    </message>
    <message>
        <source>%1 Nothing is lost. Quire resumes automatically.</source>
        <translation>%1 손실된 내용은 없으며, 가능해지면 자동으로 이어집니다.</translation>
    </message>
</context>
<context>
    <name>PdfText</name>
    <message>
        <source>%1 cannot be read without pdftotext. Install the package poppler-utils.</source>
        <translation>pdftotext가 없어 %1 파일을 읽을 수 없습니다. poppler-utils 패키지를 설치하세요.</translation>
    </message>
    <message>
        <source>Reading %1 was stopped.</source>
        <translation>%1 읽기를 중지했습니다.</translation>
    </message>
    <message>
        <source>%1 takes too long to read. Save part of it as a separate PDF and attach that.</source>
        <translation>%1 파일을 읽는 데 너무 오래 걸립니다. 일부만 별도의 PDF로 저장해 첨부하세요.</translation>
    </message>
    <message>
        <source>%1 has more than 8 MB of text. Attach part of it.</source>
        <translation>%1 파일의 텍스트가 8 MB를 넘습니다. 일부만 첨부하세요.</translation>
    </message>
    <message>
        <source>%1 has more than %2 pages. Save part of it as a separate PDF and attach that.</source>
        <translation>%1 파일이 %2쪽을 넘습니다. 일부만 별도의 PDF로 저장해 첨부하세요.</translation>
    </message>
    <message>
        <source>%1 is a scan without text. Run text recognition (OCR) on it first.</source>
        <translation>%1 파일은 텍스트가 없는 스캔 문서입니다. 먼저 텍스트를 인식(OCR)하세요.</translation>
    </message>
    <message>
        <source>%1 is password-protected. Save a copy without a password and attach that.</source>
        <translation>%1 파일은 암호로 보호되어 있습니다. 암호 없이 저장한 사본을 첨부하세요.</translation>
    </message>
    <message>
        <source>%1 is damaged and cannot be read as a PDF.</source>
        <translation>%1 파일이 손상되어 PDF로 읽을 수 없습니다.</translation>
    </message>
</context>
<context>
    <name>PersonaAdapter</name>
    <message>
        <source>Adapter</source>
        <translation>어댑터</translation>
    </message>
    <message>
        <source>A LoRA adapter of the model: a GGUF file, or a folder with adapter_config.json.</source>
        <translation>모델의 LoRA 어댑터입니다. GGUF 파일 또는 adapter_config.json이 있는 폴더를 사용합니다.</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>제거</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>선택…</translation>
    </message>
    <message>
        <source>Choose an adapter</source>
        <translation>어댑터 선택</translation>
    </message>
    <message>
        <source>LoRA adapters (*.gguf adapter_config.json adapter_model.safetensors)</source>
        <translation>LoRA 어댑터 (*.gguf adapter_config.json adapter_model.safetensors)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>모든 파일 (*)</translation>
    </message>
</context>
<context>
    <name>PersonaCard</name>
    <message>
        <source>%1, selected</source>
        <translation>%1, 선택됨</translation>
    </message>
</context>
<context>
    <name>PersonaLook</name>
    <message>
        <source>Colour %1</source>
        <translation>색상 %1</translation>
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
        <source>Plain teacher</source>
        <translation>쉬운 선생님</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>설명</translation>
    </message>
    <message>
        <source>Icon and colour</source>
        <translation>아이콘과 색상</translation>
    </message>
    <message>
        <source>You are a patient teacher. Explain things in simple words…</source>
        <translation>당신은 친절한 선생님입니다. 쉬운 말로 설명하세요…</translation>
    </message>
    <message>
        <source>Persona name</source>
        <translation>페르소나 이름</translation>
    </message>
    <message>
        <source>Shown on the card only; not sent to the model.</source>
        <translation>카드에만 표시되며 모델에 전달되지 않습니다.</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>지시문</translation>
    </message>
    <message>
        <source>Instructions (system prompt)</source>
        <translation>지시문(시스템 프롬프트)</translation>
    </message>
    <message>
        <source>Keep ready</source>
        <translation>항상 준비</translation>
    </message>
    <message>
        <source>Prepared while the engine is idle, and kept in memory while there is room.</source>
        <translation>엔진이 쉬는 동안 미리 준비하고, 공간이 있는 동안 메모리에 보관합니다.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>저장</translation>
    </message>
</context>
<context>
    <name>PersonaTile</name>
    <message>
        <source>More</source>
        <translation>더 보기</translation>
    </message>
    <message>
        <source>Actions for %1</source>
        <translation>%1 메뉴</translation>
    </message>
</context>
<context>
    <name>PersonaTileMenu</name>
    <message>
        <source>Edit</source>
        <translation>편집</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>복제</translation>
    </message>
    <message>
        <source>Move forward</source>
        <translation>앞으로 이동</translation>
    </message>
    <message>
        <source>Move back</source>
        <translation>뒤로 이동</translation>
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
        <source>Start chat</source>
        <translation>대화 시작</translation>
    </message>
    <message>
        <source>Keep ready</source>
        <translation>항상 준비</translation>
    </message>
</context>
<context>
    <name>PersonaWarmth</name>
    <message>
        <source>kept ready</source>
        <translation>항상 준비</translation>
    </message>
</context>
<context>
    <name>PersonasPage</name>
    <message>
        <source>Personas</source>
        <translation>페르소나</translation>
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
    <message>
        <source>A persona has a name, instructions and sampling settings. Its chats share the instructions in memory, computed once.</source>
        <translation>페르소나는 이름, 지시문, 샘플링 설정으로 이루어집니다. 같은 페르소나를 쓰는 대화는 한 번 계산한 지시문을 메모리에서 함께 사용합니다.</translation>
    </message>
</context>
<context>
    <name>PickButton</name>
    <message>
        <source>%1, selected</source>
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
    <name>PromptEntry</name>
    <message>
        <source>%1, %2. %3</source>
        <translation>%1, %2. %3</translation>
    </message>
</context>
<context>
    <name>QuantizeButtons</name>
    <message>
        <source>Resume</source>
        <translation>이어서 하기</translation>
    </message>
    <message>
        <source>Quantise</source>
        <translation>양자화</translation>
    </message>
    <message>
        <source>Start over</source>
        <translation>처음부터 다시</translation>
    </message>
    <message>
        <source>Deletes what the interrupted run has written</source>
        <translation>중단된 작업이 써 둔 내용을 삭제합니다</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>Keeps what is written so far</source>
        <translation>지금까지 쓴 내용은 남겨 둡니다</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>완료</translation>
    </message>
    <message>
        <source>Show in file manager</source>
        <translation>파일 관리자에서 보기</translation>
    </message>
</context>
<context>
    <name>QuantizeChoices</name>
    <message>
        <source>Writes a smaller copy with fewer bits for each weight. It needs less memory and answers faster, and is a little less exact. The original stays as it is.</source>
        <translation>가중치마다 비트 수를 줄인 더 작은 사본을 만듭니다. 메모리를 덜 쓰고 더 빨리 답하지만 조금 덜 정확합니다. 원본은 그대로 둡니다.</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>형식</translation>
    </message>
    <message>
        <source>Calibration text (optional)</source>
        <translation>중요도 측정용 텍스트(선택)</translation>
    </message>
    <message>
        <source>A text like your chats. Weights that matter for it are stored more precisely; this helps most below 6 bits.</source>
        <translation>평소 대화와 비슷한 텍스트입니다. 그 텍스트에 중요한 가중치를 더 정확하게 남깁니다. 6비트 미만 형식에 도움이 됩니다.</translation>
    </message>
    <message>
        <source>Path of a text file</source>
        <translation>텍스트 파일 경로</translation>
    </message>
    <message>
        <source>Choose a text</source>
        <translation>텍스트 선택</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>폴더</translation>
    </message>
    <message>
        <source>Folder of the new file</source>
        <translation>새 파일을 둘 폴더</translation>
    </message>
    <message>
        <source>Choose a folder for the file</source>
        <translation>파일을 둘 폴더 선택</translation>
    </message>
    <message>
        <source>File name</source>
        <translation>파일 이름</translation>
    </message>
    <message>
        <source>Name of the new file</source>
        <translation>새 파일 이름</translation>
    </message>
    <message>
        <source>Compare with the original</source>
        <translation>원본과 비교</translation>
    </message>
</context>
<context>
    <name>QuantizeFigures</name>
    <message>
        <source>It is in the list of models now.</source>
        <translation>이제 모델 목록에 있습니다.</translation>
    </message>
</context>
<context>
    <name>QuantizePath</name>
    <message>
        <source>Choose…</source>
        <translation>선택…</translation>
    </message>
</context>
<context>
    <name>QuantizeProgress</name>
    <message>
        <source>Chats have priority. You can close this panel; the Models page shows the progress. If you stop, or quit Quire, the finished part is kept and you can resume.</source>
        <translation>대화가 먼저 처리됩니다. 이 창은 닫아도 되며, 진행 상황은 모델 페이지에서 볼 수 있습니다. 중지하거나 Quire를 종료해도 지금까지 쓴 내용은 남습니다.</translation>
    </message>
</context>
<context>
    <name>QuantizeSheet</name>
    <message>
        <source>Quantise %1</source>
        <translation>%1 양자화</translation>
    </message>
    <message>
        <source>Reading the model…</source>
        <translation>모델을 읽는 중…</translation>
    </message>
</context>
<context>
    <name>QuantizeStrip</name>
    <message>
        <source>Show</source>
        <translation>보기</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
</context>
<context>
    <name>QuickOpenCard</name>
    <message>
        <source>Results</source>
        <translation>검색 결과</translation>
    </message>
    <message>
        <source>↑ ↓ select   ↵ run   Esc close</source>
        <translation>↑ ↓ 선택   ↵ 실행   Esc 닫기</translation>
    </message>
    <message>
        <source>↑ ↓ select   ↵ open   Esc close   &gt; commands</source>
        <translation>↑ ↓ 선택   ↵ 열기   Esc 닫기   &gt; 명령</translation>
    </message>
</context>
<context>
    <name>QuickOpenField</name>
    <message>
        <source>Search chats and messages, or type &gt; for commands</source>
        <translation>대화와 메시지 검색, &gt;를 입력하면 명령</translation>
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
    <name>RemoteSection</name>
    <message>
        <source>Other machines</source>
        <translation>다른 컴퓨터</translation>
    </message>
</context>
<context>
    <name>RenameField</name>
    <message>
        <source>New chat name</source>
        <translation>새 대화 이름</translation>
    </message>
</context>
<context>
    <name>RenameModelCard</name>
    <message>
        <source>Rename model</source>
        <translation>모델 이름 바꾸기</translation>
    </message>
    <message>
        <source>Only the name that Quire shows changes. The file stays %1, so that chats and other applications find it.</source>
        <translation>Quire에 표시되는 이름만 바뀝니다. 대화와 다른 앱이 찾을 수 있도록 파일 이름은 %1 그대로 둡니다.</translation>
    </message>
    <message>
        <source>New model name</source>
        <translation>새 모델 이름</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>이름 바꾸기</translation>
    </message>
    <message>
        <source>Original name</source>
        <translation>원래 이름</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
</context>
<context>
    <name>SearchField</name>
    <message>
        <source>Clear search</source>
        <translation>검색어 지우기</translation>
    </message>
</context>
<context>
    <name>SelectionBar</name>
    <message>
        <source>Export selected chats</source>
        <translation>선택한 대화 내보내기</translation>
    </message>
    <message>
        <source>Archive selected chats</source>
        <translation>선택한 대화 보관</translation>
    </message>
    <message>
        <source>Delete selected chats</source>
        <translation>선택한 대화 삭제</translation>
    </message>
    <message>
        <source>Clear selection</source>
        <translation>선택 해제</translation>
    </message>
</context>
<context>
    <name>ServerMark</name>
    <message>
        <source>Server is on</source>
        <translation>서버 켜짐</translation>
    </message>
    <message>
        <source>Stop the server</source>
        <translation>서버 중지</translation>
    </message>
</context>
<context>
    <name>ServerSection</name>
    <message>
        <source>Server</source>
        <translation>서버</translation>
    </message>
    <message>
        <source>API server</source>
        <translation>API 서버</translation>
    </message>
    <message>
        <source>Lets other programs use your models, as they would use OpenAI&apos;s. Your chats come first.</source>
        <translation>다른 프로그램이 OpenAI API처럼 이 컴퓨터의 모델을 쓸 수 있게 합니다. 내 대화가 먼저 처리됩니다.</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>사용 중</translation>
    </message>
    <message>
        <source>Models: %1</source>
        <translation>모델: %1</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>주소</translation>
    </message>
    <message>
        <source>What programs ask for as the base URL.</source>
        <translation>프로그램에서 기본 URL(base URL)로 입력하는 주소입니다.</translation>
    </message>
    <message>
        <source>Copy address</source>
        <translation>주소 복사</translation>
    </message>
    <message>
        <source>API key</source>
        <translation>API 키</translation>
    </message>
    <message>
        <source>Programs must send it with each request.</source>
        <translation>프로그램은 요청할 때마다 이 키를 보내야 합니다.</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>숨기기</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>보기</translation>
    </message>
    <message>
        <source>Copy key</source>
        <translation>키 복사</translation>
    </message>
    <message>
        <source>New key</source>
        <translation>새 키</translation>
    </message>
    <message>
        <source>New key (the old one stops working at once)</source>
        <translation>새 키 (이전 키는 바로 쓸 수 없게 됩니다)</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>포트</translation>
    </message>
    <message>
        <source>Reachable from</source>
        <translation>접속 허용 범위</translation>
    </message>
    <message>
        <source>Default: this computer</source>
        <translation>기본값: 이 컴퓨터</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>이 컴퓨터</translation>
    </message>
    <message>
        <source>Other computers, too</source>
        <translation>다른 컴퓨터도</translation>
    </message>
</context>
<context>
    <name>SettingRow</name>
    <message>
        <source>Reset</source>
        <translation>기본값 복원</translation>
    </message>
    <message>
        <source>Reset %1</source>
        <translation>%1 기본값 복원</translation>
    </message>
</context>
<context>
    <name>SettingsContent</name>
    <message>
        <source>About</source>
        <translation>정보</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>라이선스</translation>
    </message>
    <message>
        <source>Quire is free software under the Apache License 2.0. It is built on Qt (LGPL 3), SQLite (public domain), md4c and nlohmann/json (MIT), and the fonts Inter, JetBrains Mono and STIX Math (SIL Open Font License).</source>
        <translation>Quire는 Apache License 2.0을 따르는 자유 소프트웨어입니다. Qt(LGPL 3), SQLite(퍼블릭 도메인), md4c와 nlohmann/json(MIT), 글꼴 Inter, JetBrains Mono, STIX Math(SIL Open Font License)를 사용합니다.</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>답변</translation>
    </message>
    <message>
        <source>Load a model to set how it answers.</source>
        <translation>모델을 불러오면 답변 방식을 설정할 수 있습니다.</translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation>개인정보 보호</translation>
    </message>
    <message>
        <source>What you write stays on this computer: models run here, chats are stored here, and Quire sends no statistics and checks for no updates. Only a chat with a model on another machine goes there, and says so. Searches for models and downloads go to Hugging Face or Ollama&apos;s registry, and only when you start them. While the API server is on, programs that have its key can use your models, but not read your chats. Links in answers open in your browser, after you agree.</source>
        <translation>입력한 내용은 이 컴퓨터에 머무릅니다. 모델이 여기에서 실행되고 대화도 여기에 저장되며, Quire는 통계를 보내거나 업데이트를 확인하지 않습니다. 다른 컴퓨터의 모델을 쓰는 대화만 그 컴퓨터로 전송되며, 그런 대화에는 표시가 붙습니다. 모델 검색과 다운로드는 직접 시작할 때만 Hugging Face나 Ollama 레지스트리에 접속합니다. API 서버가 켜져 있는 동안에는 키를 가진 프로그램이 이 컴퓨터의 모델을 쓸 수 있지만 대화를 읽을 수는 없습니다. 답변의 링크는 확인을 거친 뒤에만 브라우저에서 열립니다.</translation>
    </message>
    <message>
        <source>Try another word, in English or in Korean.</source>
        <translation>다른 단어로 검색해 보세요. 한국어와 영어로 찾을 수 있습니다.</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>키보드 단축키</translation>
    </message>
    <message>
        <source>All keys of Quire, by group.</source>
        <translation>Quire의 모든 키를 종류별로 보여 줍니다.</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>보기</translation>
    </message>
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source>Settings</source>
        <translation>설정</translation>
    </message>
    <message>
        <source>Changes are marked and can be reset.</source>
        <translation>바꾼 설정은 표시되며 기본값으로 되돌릴 수 있습니다.</translation>
    </message>
</context>
<context>
    <name>SettingsSections</name>
    <message>
        <source>Sections of the settings</source>
        <translation>설정 항목</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>설정 검색</translation>
    </message>
    <message>
        <source>Section</source>
        <translation>항목</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>검색</translation>
    </message>
</context>
<context>
    <name>SheetFrame</name>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
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
        <translation>Quire의 모든 기능을 키보드로 사용할 수 있습니다. %1 키를 누르면 전체 명령이 표시됩니다.</translation>
    </message>
    <message>
        <source>Search shortcuts</source>
        <translation>단축키 검색</translation>
    </message>
    <message>
        <source>No matching shortcuts</source>
        <translation>일치하는 단축키가 없습니다</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>Chats</source>
        <translation>대화</translation>
    </message>
    <message>
        <source>No chats yet. Your chats stay on this computer.</source>
        <translation>아직 대화가 없습니다. 대화는 이 컴퓨터에만 저장됩니다.</translation>
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
        <source>Hide sidebar</source>
        <translation>사이드바 숨기기</translation>
    </message>
    <message>
        <source>Hide sidebar (%1)</source>
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
        <source>New chat</source>
        <translation>새 대화</translation>
    </message>
    <message>
        <source>Search chats and messages</source>
        <translation>대화와 메시지 검색</translation>
    </message>
    <message>
        <source>Show sidebar</source>
        <translation>사이드바 표시</translation>
    </message>
    <message>
        <source>Server is on</source>
        <translation>서버 켜짐</translation>
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
</context>
<context>
    <name>SpeculationOptions</name>
    <message>
        <source>Guess ahead</source>
        <translation>미리 예측</translation>
    </message>
    <message>
        <source>Guesses the next words to answer faster. Answers are the same.</source>
        <translation>다음 단어를 예측해 더 빨리 답합니다. 답변은 달라지지 않습니다.</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>초안 모델</translation>
    </message>
    <message>
        <source>A smaller model of the same family that also guesses. Uses additional memory.</source>
        <translation>같은 계열의 작은 모델로도 예측합니다. 메모리를 추가로 사용합니다.</translation>
    </message>
</context>
<context>
    <name>StateCard</name>
    <message>
        <source>Recurrent states</source>
        <translation>순환 상태</translation>
    </message>
    <message>
        <source>Some layers of this model sum up a chat in one state of fixed size. A chat continues from the last snapshot of its state; what follows it is computed again.</source>
        <translation>이 모델의 일부 레이어는 대화를 크기가 고정된 상태 하나로 요약합니다. 대화는 상태의 마지막 스냅숏에서 이어지고, 그 뒤는 다시 계산합니다.</translation>
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
        <source>Disk space for personas</source>
        <translation>페르소나용 디스크 공간</translation>
    </message>
    <message>
        <source>Keeps prepared instructions on disk, so that personas are ready right after a restart.</source>
        <translation>미리 계산한 지시문을 디스크에 보관해, 다시 시작해도 페르소나가 바로 준비됩니다.</translation>
    </message>
    <message>
        <source>Disk space for personas, in MiB</source>
        <translation>페르소나용 디스크 공간(MiB)</translation>
    </message>
    <message>
        <source>Disk space for chats</source>
        <translation>대화용 디스크 공간</translation>
    </message>
    <message>
        <source>Keeps processed chats on disk, so that they continue at once after a restart.</source>
        <translation>미리 계산한 대화를 디스크에 보관해, 다시 시작해도 바로 이어집니다.</translation>
    </message>
    <message>
        <source>Disk space for chats, in MiB</source>
        <translation>대화용 디스크 공간(MiB)</translation>
    </message>
    <message>
        <source>MiB</source>
        <translation>MiB</translation>
    </message>
</context>
<context>
    <name>StoreErrorPage</name>
    <message>
        <source>Your chats could not be opened</source>
        <translation>대화를 열 수 없습니다</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>종료</translation>
    </message>
    <message>
        <source>Quire waits rather than start without your chats.</source>
        <translation>대화 없이 시작하지 않고 기다립니다.</translation>
    </message>
    <message>
        <source>View readable chats</source>
        <translation>읽을 수 있는 대화 보기</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>백업</translation>
    </message>
    <message>
        <source>No backups</source>
        <translation>백업 없음</translation>
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
    <message>
        <source>Readable chats from the damaged file. Nothing here is changed.</source>
        <translation>손상된 파일에서 읽을 수 있는 대화입니다. 내용은 변경되지 않습니다.</translation>
    </message>
    <message>
        <source>Copy chat</source>
        <translation>대화 복사</translation>
    </message>
</context>
<context>
    <name>TableBlock</name>
    <message>
        <source>Copy table</source>
        <translation>표 복사</translation>
    </message>
</context>
<context>
    <name>TargetChip</name>
    <message>
        <source>To this chat</source>
        <translation>이 대화에</translation>
    </message>
    <message>
        <source>Ctrl+Shift+A</source>
        <translation>Ctrl+Shift+A</translation>
    </message>
    <message>
        <source>Choose which chats get your message (Ctrl+Shift+A)</source>
        <translation>메시지를 보낼 대화 선택 (Ctrl+Shift+A)</translation>
    </message>
</context>
<context>
    <name>ThoughtBlock</name>
    <message>
        <source>Shows the model&apos;s reasoning</source>
        <translation>모델의 추론을 표시합니다</translation>
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
</context>
<context>
    <name>Toast</name>
    <message>
        <source>Dismiss</source>
        <translation>닫기</translation>
    </message>
</context>
<context>
    <name>TransferDialog</name>
    <message>
        <source>All files (*)</source>
        <translation>모든 파일 (*)</translation>
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
        <source>Quire exports (*.json *.md)</source>
        <translation>Quire 내보내기 파일 (*.json *.md)</translation>
    </message>
    <message>
        <source>JSON, can be imported (*.json)</source>
        <translation>JSON, 다시 가져올 수 있음 (*.json)</translation>
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
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
</context>
<context>
    <name>UndoToast</name>
    <message>
        <source>Undo</source>
        <translation>실행 취소</translation>
    </message>
</context>
<context>
    <name>UserMessage</name>
    <message>
        <source>Copy message</source>
        <translation>메시지 복사</translation>
    </message>
    <message>
        <source>Edit as a new version</source>
        <translation>새 버전으로 편집</translation>
    </message>
</context>
<context>
    <name>VersionSwitch</name>
    <message>
        <source>%1 / %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>이전 버전</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>다음 버전</translation>
    </message>
</context>
<context>
    <name>WelcomeView</name>
    <message>
        <source>Ask: %1</source>
        <translation>질문: %1</translation>
    </message>
    <message>
        <source>Start a chat</source>
        <translation>대화 시작</translation>
    </message>
    <message>
        <source>Choose a persona</source>
        <translation>페르소나 선택</translation>
    </message>
    <message>
        <source>Try asking</source>
        <translation>이런 질문은 어떠세요?</translation>
    </message>
    <message>
        <source>Ask several personas at once</source>
        <translation>여러 페르소나에게 한꺼번에 묻기</translation>
    </message>
</context>
<context>
    <name>WindowCard</name>
    <message>
        <source>Attention windows</source>
        <translation>어텐션 윈도</translation>
    </message>
    <message>
        <source>Some layers of this model see only the last tokens of a chat. What they keep of each block is a part of its own, and is forgotten behind the window.</source>
        <translation>이 모델의 일부 레이어는 대화의 마지막 토큰만 봅니다. 이 레이어가 블록마다 보관하는 것은 별도의 부분이며, 윈도를 벗어나면 잊습니다.</translation>
    </message>
</context>
<context>
    <name>WorkArea</name>
    <message>
        <source>Drop to import chats or attach to your message</source>
        <translation>놓으면 대화를 가져오거나 메시지에 첨부합니다</translation>
    </message>
    <message>
        <source>Delete from backups too…</source>
        <translation>백업에서도 삭제…</translation>
    </message>
</context>
<context>
    <name>quire</name>
    <message>
        <source>Comes with Quire</source>
        <translation>기본 제공</translation>
    </message>
    <message>
        <source>Opened by you</source>
        <translation>직접 추가함</translation>
    </message>
    <message>
        <source>Loaded</source>
        <translation>불러온 모델</translation>
    </message>
    <message>
        <source>Cannot be loaded</source>
        <translation>불러올 수 없는 모델</translation>
    </message>
</context>
<context>
    <name>quire::AnswerDetails</name>
    <message>
        <source>%1 tokens</source>
        <translation>%1토큰</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1초</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Asked</source>
        <translation>질문한 시각</translation>
    </message>
    <message>
        <source>Time to first token</source>
        <translation>첫 토큰까지 걸린 시간</translation>
    </message>
    <message>
        <source>Total time</source>
        <translation>전체 시간</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>속도</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>프롬프트</translation>
    </message>
    <message>
        <source>From cache</source>
        <translation>캐시에서 재사용</translation>
    </message>
    <message>
        <source>%1 (%2%)</source>
        <translation>%1(%2%)</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>답변</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>온도</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>시드</translation>
    </message>
</context>
<context>
    <name>quire::AnswerNotifier</name>
    <message numerus="yes">
        <source>%n answer(s) ready</source>
        <translation>
            <numerusform>답변 %n개가 준비되었습니다</numerusform>
        </translation>
    </message>
    <message>
        <source>The answer failed</source>
        <translation>답변하지 못했습니다</translation>
    </message>
</context>
<context>
    <name>quire::AnswerRun</name>
    <message>
        <source>The engine could not complete this answer.</source>
        <translation>엔진이 답변을 완료하지 못했습니다.</translation>
    </message>
    <message>
        <source>Reached the maximum answer length.</source>
        <translation>최대 답변 길이에 도달했습니다.</translation>
    </message>
    <message>
        <source>Stopped because the model&apos;s context is full. Your next message will leave out the oldest ones.</source>
        <translation>모델의 컨텍스트가 가득 차 중지했습니다. 다음 메시지부터 가장 오래된 메시지가 제외됩니다.</translation>
    </message>
</context>
<context>
    <name>quire::Appearance</name>
    <message>
        <source>Theme: light. Press for dark.</source>
        <translation>테마: 라이트. 누르면 다크로 바뀝니다.</translation>
    </message>
    <message>
        <source>Theme: dark. Press to follow the system.</source>
        <translation>테마: 다크. 누르면 시스템 설정을 따릅니다.</translation>
    </message>
    <message>
        <source>Theme: follows the system. Press for light.</source>
        <translation>테마: 시스템 설정. 누르면 라이트로 바뀝니다.</translation>
    </message>
    <message>
        <source>System</source>
        <translation>시스템 설정</translation>
    </message>
</context>
<context>
    <name>quire::AskPlan</name>
    <message>
        <source>Choose at least two personas.</source>
        <translation>페르소나를 2개 이상 선택하세요.</translation>
    </message>
    <message>
        <source>Ask %1</source>
        <translation>답변 %1개</translation>
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
        <translation>답변 1개</translation>
    </message>
    <message>
        <source>Use 2 to %1 temperatures from 0 to 2, separated by commas.</source>
        <translation>0~2 사이의 온도를 쉼표로 구분해 2개 이상 %1개 이하로 입력하세요.</translation>
    </message>
    <message>
        <source>One answer.</source>
        <translation>답변 1개</translation>
    </message>
    <message>
        <source>The chat is processed once for all of them.</source>
        <translation>대화를 한 번만 읽어 모든 답변에 함께 씁니다.</translation>
    </message>
    <message>
        <source>%1 answers with different seeds.</source>
        <translation>시드가 서로 다른 답변 %1개를 생성합니다.</translation>
    </message>
    <message>
        <source>%1 answers, from precise to creative.</source>
        <translation>정확한 답변부터 창의적인 답변까지 %1개를 생성합니다.</translation>
    </message>
    <message>
        <source>One answer from each of %1 personas; the chat is processed once for each.</source>
        <translation>페르소나 %1개가 각각 답변합니다. 페르소나마다 대화를 한 번씩 읽습니다.</translation>
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
        <translation>약 %1토큰</translation>
    </message>
    <message>
        <source>≈ %1 tokens, too large (limit %2)</source>
        <translation>약 %1토큰, 너무 큼(최대 %2토큰)</translation>
    </message>
    <message>
        <source>Only files on this computer can be attached.</source>
        <translation>이 컴퓨터의 파일만 첨부할 수 있습니다.</translation>
    </message>
    <message>
        <source>You can attach up to %1 files to a message.</source>
        <translation>메시지 하나에 파일을 %1개까지 첨부할 수 있습니다.</translation>
    </message>
    <message>
        <source>Remove %1, which could not be read.</source>
        <translation>읽을 수 없는 파일을 제거하세요: %1</translation>
    </message>
    <message>
        <source>The files have ≈ %1 tokens (limit %2). Remove files, or attach a shorter excerpt.</source>
        <translation>파일이 약 %1토큰입니다(최대 %2토큰). 파일을 제거하거나 일부만 첨부하세요.</translation>
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
        <translation>%1, 약 %2토큰</translation>
    </message>
</context>
<context>
    <name>quire::BackupEraser</name>
    <message>
        <source>Deleting from backup %1 of %2…</source>
        <translation>백업에서 삭제하는 중… (%1/%2)</translation>
    </message>
    <message>
        <source>Deleted from the backups too.</source>
        <translation>백업에서도 삭제했습니다.</translation>
    </message>
    <message>
        <source>Delete %1 everywhere?</source>
        <translation>%1: 백업에서도 모두 삭제할까요?</translation>
    </message>
</context>
<context>
    <name>quire::BackupListModel</name>
    <message>
        <source>%1 · cannot be read</source>
        <translation>%1 · 읽을 수 없음</translation>
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
    <message numerus="yes">
        <source>%Ln chat(s)</source>
        <translation>
            <numerusform>대화 %Ln개</numerusform>
        </translation>
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
        <translation>보관됨, 디스크에도 있음</translation>
    </message>
    <message>
        <source>shared by chats</source>
        <translation>여러 대화가 공유</translation>
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
        <translation>사각형 하나가 블록 %1개를 나타냅니다.</translation>
    </message>
</context>
<context>
    <name>quire::BlockMapModel</name>
    <message>
        <source>%1 of %2</source>
        <translation>%2개 중 %1개</translation>
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
        <translation>공유로 현재 %1를 절약합니다. %2 데이터를 답변마다 두지 않고 한 번만 저장합니다.</translation>
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
        <translation>%1 대화용으로 보관</translation>
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
        <source>never evicted</source>
        <translation>캐시에서 제거하지 않음</translation>
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
        <translation>외 %1개</translation>
    </message>
    <message>
        <source>tokens %1 to %2</source>
        <translation>토큰 %1~%2</translation>
    </message>
    <message>
        <source>This block holds nothing.</source>
        <translation>빈 블록입니다.</translation>
    </message>
    <message>
        <source>This block holds no whole character.</source>
        <translation>이 블록에는 완전한 글자가 없습니다.</translation>
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
        <translation>%1, 이 장치에서는 지원 안 함</translation>
    </message>
</context>
<context>
    <name>quire::ChatBodyTexts</name>
    <message>
        <source>The adapter of this persona works only with models on this computer. Choose another persona or model.</source>
        <translation>이 페르소나의 어댑터는 이 컴퓨터의 모델에서만 작동합니다. 다른 페르소나나 모델을 선택하세요.</translation>
    </message>
    <message>
        <source>This request needs a model on this computer. Choose one there.</source>
        <translation>이 요청에는 이 컴퓨터의 모델이 필요합니다. 이 컴퓨터의 모델을 선택하세요.</translation>
    </message>
    <message>
        <source>%1 ignores top_k, min_p and the repetition penalty. Reset them in the settings of this chat.</source>
        <translation>%1 서버는 top_k, min_p, 반복 페널티를 무시합니다. 이 대화의 설정에서 초기화하세요.</translation>
    </message>
    <message>
        <source>%1 cannot continue an answer that was cut off. Regenerate it instead.</source>
        <translation>%1 서버는 끊긴 답변을 이어 쓸 수 없습니다. 다시 생성하세요.</translation>
    </message>
    <message>
        <source>The answer was cut off while the model was still thinking, which %1 cannot continue. Regenerate it instead.</source>
        <translation>모델이 생각하는 중에 답변이 끊겼으며, %1 서버는 이를 이어 갈 수 없습니다. 다시 생성하세요.</translation>
    </message>
</context>
<context>
    <name>quire::ChatComposer</name>
    <message>
        <source>Write a message</source>
        <translation>메시지 입력</translation>
    </message>
    <message>
        <source>Write a reply</source>
        <translation>메시지 입력</translation>
    </message>
    <message>
        <source>still opening</source>
        <translation>여는 중</translation>
    </message>
    <message>
        <source>still answering</source>
        <translation>답변 중</translation>
    </message>
    <message>
        <source>its machine was removed</source>
        <translation>컴퓨터가 제거됨</translation>
    </message>
    <message>
        <source>model still loading</source>
        <translation>모델 불러오는 중</translation>
    </message>
    <message>
        <source>no model loaded</source>
        <translation>모델 없음</translation>
    </message>
    <message>
        <source>No model loaded. Load one to continue.</source>
        <translation>불러온 모델이 없습니다. 계속하려면 모델을 불러오세요.</translation>
    </message>
    <message>
        <source>Paused. Resume to continue the answer.</source>
        <translation>일시 정지됨. 다시 시작하면 이어서 답변합니다.</translation>
    </message>
    <message>
        <source>Answering… type your next message</source>
        <translation>답변 중… 다음 메시지를 입력하세요</translation>
    </message>
    <message>
        <source>Write what to do with it, or send it as it is.</source>
        <translation>요청할 내용을 입력하거나 그대로 보내세요.</translation>
    </message>
    <message>
        <source>Enter to send, Shift+Enter for a new line</source>
        <translation>Enter로 전송, Shift+Enter로 줄 바꿈</translation>
    </message>
    <message>
        <source>This machine is not on the page Models any more. Choose another model for this chat.</source>
        <translation>이 컴퓨터는 모델 페이지에 더 이상 없습니다. 이 대화에 쓸 다른 모델을 선택하세요.</translation>
    </message>
    <message>
        <source>Enter to send to %1, Shift+Enter for a new line</source>
        <translation>Enter로 %1 서버에 전송, Shift+Enter로 줄 바꿈</translation>
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
        <source>New folder</source>
        <translation>새 폴더</translation>
    </message>
    <message>
        <source>%1 archived.</source>
        <translation>%1 보관됨</translation>
    </message>
    <message>
        <source>%1 deleted.</source>
        <translation>%1 삭제됨</translation>
    </message>
    <message>
        <source>Folder “%1” deleted; its chats are kept.</source>
        <translation>“%1” 폴더를 삭제했습니다. 대화는 그대로 있습니다.</translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s)</source>
        <translation>
            <numerusform>대화 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>“%1”</translation>
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
        <source>Draft: %1</source>
        <translation>초안: %1</translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) selected</source>
        <translation>
            <numerusform>대화 %n개 선택됨</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::ChatMessages</name>
    <message>
        <source>That message is in another version of this chat. It can be shown when the answer is complete.</source>
        <translation>그 메시지는 이 대화의 다른 버전에 있습니다. 답변이 끝나면 볼 수 있습니다.</translation>
    </message>
    <message numerus="yes">
        <source>%n message(s) deleted.</source>
        <translation>
            <numerusform>메시지 %n개를 삭제했습니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>복사됨</translation>
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
        <source>Paused</source>
        <translation>일시 정지됨</translation>
    </message>
    <message>
        <source>Persona of this chat</source>
        <translation>이 대화의 페르소나</translation>
    </message>
    <message>
        <source>Persona of this chat. A change applies from the next answer on; the chat is processed again once.</source>
        <translation>이 대화의 페르소나입니다. 바꾸면 다음 답변부터 적용되며 대화를 한 번 다시 읽습니다.</translation>
    </message>
    <message>
        <source>Answering…</source>
        <translation>답변 중…</translation>
    </message>
    <message>
        <source>This chat always uses this model</source>
        <translation>이 대화는 항상 이 모델을 사용합니다</translation>
    </message>
    <message>
        <source>This machine is not on the page Models any more.</source>
        <translation>이 컴퓨터는 모델 페이지에 더 이상 없습니다.</translation>
    </message>
</context>
<context>
    <name>quire::ChatSelection</name>
    <message>
        <source>Selected: %1</source>
        <translation>선택됨: %1</translation>
    </message>
</context>
<context>
    <name>quire::ChatTurns</name>
    <message>
        <source>Your version was not saved; its text is in the composer again. %1</source>
        <translation>편집한 내용을 저장하지 못해 입력란에 되돌려 놓았습니다. %1</translation>
    </message>
    <message>
        <source>Your message was not sent because it could not be saved. %1</source>
        <translation>메시지를 저장하지 못해 보내지 않았습니다. %1</translation>
    </message>
    <message>
        <source>Answer %1</source>
        <translation>답변 %1</translation>
    </message>
    <message>
        <source>The answer was not continued because it could not be saved. %1</source>
        <translation>저장하지 못해 답변을 계속 생성하지 않았습니다. %1</translation>
    </message>
    <message numerus="yes">
        <source>Kept this answer; %n other answer(s) deleted.</source>
        <translation>
            <numerusform>이 답변을 남기고 다른 답변 %n개를 삭제했습니다.</numerusform>
        </translation>
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
        <translation>분할 창</translation>
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
        <translation>대화 이름 바꾸기</translation>
    </message>
    <message>
        <source>Mark this chat as unread</source>
        <translation>대화를 읽지 않음으로 표시</translation>
    </message>
    <message>
        <source>Delete this chat</source>
        <translation>대화 삭제</translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation>메시지 보내기</translation>
    </message>
    <message>
        <source>Copy the last message</source>
        <translation>마지막 메시지 복사</translation>
    </message>
    <message>
        <source>One pane</source>
        <translation>분할 창 1개</translation>
    </message>
    <message>
        <source>Two panes</source>
        <translation>분할 창 2개</translation>
    </message>
    <message>
        <source>Three panes</source>
        <translation>분할 창 3개</translation>
    </message>
    <message>
        <source>Four panes</source>
        <translation>분할 창 4개</translation>
    </message>
    <message>
        <source>Close this pane; its chat goes on</source>
        <translation>분할 창 닫기. 대화는 계속됩니다</translation>
    </message>
    <message>
        <source>To the pane on the left</source>
        <translation>왼쪽 분할 창으로</translation>
    </message>
    <message>
        <source>To the pane on the right</source>
        <translation>오른쪽 분할 창으로</translation>
    </message>
    <message>
        <source>To the pane above</source>
        <translation>위쪽 분할 창으로</translation>
    </message>
    <message>
        <source>To the pane below</source>
        <translation>아래쪽 분할 창으로</translation>
    </message>
    <message>
        <source>Write to one chat, or to all shown</source>
        <translation>한 대화 또는 표시된 모든 대화에 보내기</translation>
    </message>
    <message>
        <source>Back to the chats</source>
        <translation>대화로 돌아가기</translation>
    </message>
    <message>
        <source>Close the page</source>
        <translation>페이지 닫기</translation>
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
        <translation>사이드바 표시/숨기기</translation>
    </message>
    <message>
        <source>Theme: light</source>
        <translation>테마: 라이트</translation>
    </message>
    <message>
        <source>Theme: dark</source>
        <translation>테마: 다크</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>종료</translation>
    </message>
    <message>
        <source>Open the chat above or below</source>
        <translation>위 또는 아래 대화 열기</translation>
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
        <source>Fork this chat at its last message</source>
        <translation>마지막 메시지에서 분기</translation>
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
    <message>
        <source>In the chat list</source>
        <translation>대화 목록</translation>
    </message>
    <message>
        <source>Pin or unpin chat</source>
        <translation>대화 고정 또는 고정 해제</translation>
    </message>
    <message>
        <source>Archive or unarchive chat</source>
        <translation>대화 보관 또는 보관 해제</translation>
    </message>
    <message>
        <source>Move this chat to a new folder</source>
        <translation>대화를 새 폴더로 이동</translation>
    </message>
    <message>
        <source>Undo deleting or archiving</source>
        <translation>삭제 또는 보관 실행 취소</translation>
    </message>
    <message>
        <source>Start a new line</source>
        <translation>줄 바꿈</translation>
    </message>
    <message>
        <source>Select the whole chat</source>
        <translation>대화 전체 선택</translation>
    </message>
    <message>
        <source>Show or hide a caret in the chat</source>
        <translation>대화에 커서 표시/숨기기</translation>
    </message>
    <message>
        <source>Extend the selection</source>
        <translation>선택 영역 조절</translation>
    </message>
    <message>
        <source>Copy the selection</source>
        <translation>선택한 부분 복사</translation>
    </message>
    <message>
        <source>Stop the answer, or cancel an edit</source>
        <translation>답변 중지 또는 편집 취소</translation>
    </message>
    <message>
        <source>Regenerate the answer</source>
        <translation>다시 생성</translation>
    </message>
    <message>
        <source>Pause or resume all answers</source>
        <translation>모든 답변 일시 정지/다시 시작</translation>
    </message>
    <message>
        <source>Continue the interrupted answer</source>
        <translation>끊긴 답변 계속 생성</translation>
    </message>
    <message>
        <source>New chat in another pane</source>
        <translation>다른 분할 창에 새 대화</translation>
    </message>
    <message>
        <source>Theme: system</source>
        <translation>테마: 시스템 설정</translation>
    </message>
    <message>
        <source>Show or hide the engine panel</source>
        <translation>엔진 패널 표시/숨기기</translation>
    </message>
    <message>
        <source>Chat menu</source>
        <translation>대화 메뉴</translation>
    </message>
    <message>
        <source>Delete the selected chats</source>
        <translation>선택한 대화 삭제</translation>
    </message>
    <message>
        <source>Delete what was just deleted from the backups too</source>
        <translation>방금 삭제한 대화를 백업에서도 삭제</translation>
    </message>
    <message>
        <source>Get models</source>
        <translation>모델 받기</translation>
    </message>
    <message>
        <source>Find in this chat</source>
        <translation>이 대화에서 찾기</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>다음 일치 항목</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>이전 일치 항목</translation>
    </message>
</context>
<context>
    <name>quire::ComposerModel</name>
    <message>
        <source>To both panes</source>
        <translation>두 분할 창 모두</translation>
    </message>
    <message>
        <source>To all %1 panes</source>
        <translation>분할 창 %1개 모두</translation>
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
    <message numerus="yes">
        <source>%n chat(s) still answering.</source>
        <translation>
            <numerusform>대화 %n개가 아직 답변 중입니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>Enter to send to %1 of %2 chats; the others keep it as a draft</source>
        <translation>Enter로 대화 %2개 중 %1개에 전송. 나머지 대화에는 초안으로 남습니다</translation>
    </message>
    <message>
        <source>Enter to send to all of them</source>
        <translation>Enter로 모두에게 전송</translation>
    </message>
    <message>
        <source>Enter to send to all of them, also to models that do not run here</source>
        <translation>Enter로 모두에게 전송(이 컴퓨터 밖의 모델 포함)</translation>
    </message>
    <message>
        <source>&quot;%1&quot; (%2)</source>
        <translation>&quot;%1&quot;(%2)</translation>
    </message>
    <message>
        <source>files too large for its model</source>
        <translation>파일이 모델에 비해 너무 큼</translation>
    </message>
    <message>
        <source>too long for its model</source>
        <translation>모델에 비해 너무 긺</translation>
    </message>
    <message>
        <source>Too long for the models of these chats. Shorten the message.</source>
        <translation>메시지가 이 대화들의 모델에 비해 너무 깁니다. 메시지를 줄이세요.</translation>
    </message>
    <message>
        <source>Not sent to %1. It is kept there as a draft.</source>
        <translation>보내지 못한 대화: %1. 해당 대화에 초안으로 남겨 두었습니다.</translation>
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
        <translation>메시지가 모델에 비해 너무 깁니다(%1토큰, 최대 %2토큰). 메시지를 줄이세요.</translation>
    </message>
    <message numerus="yes">
        <source>%n oldest message(s) left out to fit the %1-token context.</source>
        <translation>
            <numerusform>%1토큰 컨텍스트에 맞추기 위해 가장 오래된 메시지 %n개를 제외했습니다.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Sending will leave out %n older message(s) to fit the %1-token context.</source>
        <translation>
            <numerusform>보내면 %1토큰 컨텍스트에 맞추기 위해 오래된 메시지 %n개를 제외합니다.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::DataSession</name>
    <message>
        <source>Quire is already running with this folder. Use its window, or start Quire with --data and another folder.</source>
        <translation>이 폴더를 쓰는 Quire가 이미 실행 중입니다. 열려 있는 창을 사용하거나 --data로 다른 폴더를 지정해 시작하세요.</translation>
    </message>
    <message>
        <source>The folder &quot;%1&quot; cannot be locked: it is read-only, or the disk is full. Make it writable, or start Quire with --data and another folder.</source>
        <translation>&quot;%1&quot; 폴더를 잠글 수 없습니다. 읽기 전용이거나 디스크가 가득 찼습니다. 쓸 수 있게 하거나 --data로 다른 폴더를 지정해 시작하세요.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; is not a lock that Quire made. Delete it.</source>
        <translation>&quot;%1&quot; 파일은 Quire가 만든 잠금 파일이 아닙니다. 이 파일을 삭제하세요.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; locks this folder and does not say for which program. Delete it if Quire runs nowhere with this folder.</source>
        <translation>&quot;%1&quot; 파일이 이 폴더를 잠그고 있지만 어느 프로그램의 것인지 알 수 없습니다. 이 폴더를 쓰는 Quire가 어디에도 없으면 이 파일을 삭제하세요.</translation>
    </message>
    <message>
        <source>Quire on the computer &quot;%1&quot; uses this folder or crashed there. Close it there. If Quire runs nowhere with this folder, delete the file &quot;%2&quot;.</source>
        <translation>&quot;%1&quot; 컴퓨터의 Quire가 이 폴더를 사용 중이거나 비정상 종료되었습니다. 그 컴퓨터에서 Quire를 종료하세요. 이 폴더를 쓰는 Quire가 어디에도 없으면 &quot;%2&quot; 파일을 삭제하세요.</translation>
    </message>
</context>
<context>
    <name>quire::DataTransfer</name>
    <message>
        <source>The damaged file &quot;%1&quot; is gone or can no longer be read. Its chats were not taken over.</source>
        <translation>손상된 &quot;%1&quot; 파일이 없거나 더 이상 읽을 수 없습니다. 그 파일의 대화는 가져오지 못했습니다.</translation>
    </message>
    <message>
        <source>%1 Chats of the damaged file are still missing; the next start tries again to add them.</source>
        <translation>%1 손상된 파일의 대화가 아직 빠져 있습니다. 다음에 시작할 때 다시 추가합니다.</translation>
    </message>
    <message>
        <source>Cancelled. The next start tries again to add the chats.</source>
        <translation>취소했습니다. 다음에 시작할 때 대화를 다시 추가합니다.</translation>
    </message>
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
        <source>Written to %1.</source>
        <translation>저장한 위치: %1</translation>
    </message>
    <message>
        <source>Written to %1, without the changes that could not be saved yet. Export again when they are saved.</source>
        <translation>저장한 위치: %1. 아직 저장되지 않은 변경 내용은 빠져 있습니다. 저장된 뒤 다시 내보내세요.</translation>
    </message>
    <message>
        <source>Changes that could not be saved yet are not in the backup. Back up again when they are saved.</source>
        <translation>아직 저장되지 않은 변경 내용은 백업에 없습니다. 저장된 뒤 다시 백업하세요.</translation>
    </message>
    <message>
        <source>Restoring missing chats…</source>
        <translation>없는 대화를 복원하는 중…</translation>
    </message>
    <message>
        <source>The backup was made.</source>
        <translation>백업했습니다.</translation>
    </message>
    <message>
        <source>Nothing has changed since the latest backup, so none was made.</source>
        <translation>마지막 백업 이후 변경된 내용이 없어 새로 백업하지 않았습니다.</translation>
    </message>
    <message numerus="yes">
        <source>Added %n chat(s).</source>
        <translation>
            <numerusform>대화 %n개를 추가했습니다.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Completed %n chat(s).</source>
        <translation>
            <numerusform>대화 %n개에 없던 내용을 추가했습니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing could be added.</source>
        <translation>추가할 수 있는 내용이 없었습니다.</translation>
    </message>
    <message numerus="yes">
        <source>Nothing new: you already have %n chat(s).</source>
        <translation>
            <numerusform>새로 추가할 대화가 없습니다. 이미 있는 대화: %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing new.</source>
        <translation>새로 추가할 대화가 없습니다.</translation>
    </message>
    <message numerus="yes">
        <source>You already had %n chat(s).</source>
        <translation>
            <numerusform>이미 있는 대화 %n개는 그대로 두었습니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>Damaged, and only partly readable: %1.</source>
        <translation>손상되어 일부만 읽을 수 있음: %1.</translation>
    </message>
</context>
<context>
    <name>quire::DeleteTexts</name>
    <message>
        <source>%1 has changed meanwhile, so nothing was deleted. Scan again.</source>
        <translation>그 사이 변경된 파일이 있어 아무것도 삭제하지 않았습니다: %1. 다시 검색하세요.</translation>
    </message>
    <message>
        <source>%1 has changed meanwhile and is not deleted. Scan again.</source>
        <translation>그 사이 변경되어 삭제하지 않은 파일: %1. 다시 검색하세요.</translation>
    </message>
    <message>
        <source>%1 cannot be moved to the trash, because its disk has none or it is not writable. Delete it for good instead.</source>
        <translation>휴지통으로 옮길 수 없는 파일: %1. 디스크에 휴지통이 없거나 쓸 수 없습니다. 대신 완전히 삭제하세요.</translation>
    </message>
    <message>
        <source>%1 cannot be deleted: %2. Change its permissions, or close the programs that use it.</source>
        <translation>삭제할 수 없는 파일: %1 (%2). 권한을 바꾸거나 그 파일을 쓰는 프로그램을 닫으세요.</translation>
    </message>
</context>
<context>
    <name>quire::DownloadList</name>
    <message numerus="yes">
        <source>%n download(s)</source>
        <translation>
            <numerusform>다운로드 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/초</translation>
    </message>
    <message>
        <source>%1 of %2 are on the disk. If you keep them, you can continue at any time.</source>
        <translation>%2 중 %1를 받았습니다. 남겨 두면 언제든지 이어서 받을 수 있습니다.</translation>
    </message>
    <message>
        <source>%1 stopped. %2</source>
        <translation>%1: 중단되었습니다. %2</translation>
    </message>
</context>
<context>
    <name>quire::DuplicateList</name>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Reading files of equal size: %1 of %2</source>
        <translation>크기가 같은 파일을 읽는 중: %2 중 %1</translation>
    </message>
    <message>
        <source>Comparing sizes…</source>
        <translation>크기를 비교하는 중…</translation>
    </message>
    <message>
        <source>No model is on your disks twice.</source>
        <translation>디스크에 중복된 모델이 없습니다.</translation>
    </message>
    <message numerus="yes">
        <source>%n model(s) more than once. Keeping one copy of each frees %1.</source>
        <translation>
            <numerusform>모델 %n개가 중복됩니다. 하나씩만 남기면 %1를 확보합니다.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n model(s) could not be read.</source>
        <translation>
            <numerusform>읽을 수 없는 모델이 %n개 있습니다.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::EndpointEditor</name>
    <message>
        <source>Such as “Office”</source>
        <translation>예: “사무실”</translation>
    </message>
    <message>
        <source>Stored; type another one to replace it</source>
        <translation>저장됨. 바꾸려면 새 키를 입력하세요</translation>
    </message>
    <message>
        <source>Leave empty if it needs none</source>
        <translation>필요 없으면 비워 두세요</translation>
    </message>
    <message>
        <source>Requests go to %1.</source>
        <translation>요청은 %1 주소로 전송됩니다.</translation>
    </message>
    <message>
        <source>Others in the network can read them, and the key.</source>
        <translation>같은 네트워크의 다른 사람이 요청과 키를 읽을 수 있습니다.</translation>
    </message>
    <message>
        <source>A price is a number of dollars per million tokens.</source>
        <translation>가격은 100만 토큰당 달러를 나타내는 숫자입니다.</translation>
    </message>
    <message>
        <source>Save anyway</source>
        <translation>그래도 저장</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>저장</translation>
    </message>
    <message numerus="yes">
        <source>It works and has %n model(s).</source>
        <translation>
            <numerusform>작동합니다. 모델 %n개가 있습니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>It answers, but does not list its models. Type the name of one below.</source>
        <translation>응답하지만 모델 목록을 제공하지 않습니다. 아래에 모델 이름을 입력하세요.</translation>
    </message>
    <message>
        <source>Choose at least one model for your chats.</source>
        <translation>대화에 쓸 모델을 하나 이상 선택하세요.</translation>
    </message>
</context>
<context>
    <name>quire::EndpointModels</name>
    <message>
        <source>%1 of %2 chosen</source>
        <translation>%2개 중 %1개 선택됨</translation>
    </message>
</context>
<context>
    <name>quire::EndpointTexts</name>
    <message>
        <source>This is not an address. Write one such as https://api.example.com.</source>
        <translation>주소가 아닙니다. https://api.example.com 같은 주소를 입력하세요.</translation>
    </message>
    <message>
        <source>The address must begin with https:// or http://.</source>
        <translation>주소는 https:// 또는 http://로 시작해야 합니다.</translation>
    </message>
    <message>
        <source>Leave the name and password out of the address.</source>
        <translation>주소에서 이름과 비밀번호를 빼세요.</translation>
    </message>
    <message>
        <source>Leave out what follows “?” or “#” in the address.</source>
        <translation>주소에서 “?” 또는 “#” 뒤의 내용을 빼세요.</translation>
    </message>
</context>
<context>
    <name>quire::EngineFigures</name>
    <message>
        <source>%1 of %2, %3</source>
        <translation>%2개 중 %1개, %3</translation>
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
        <source>Prompt tokens that were in the KV cache</source>
        <translation>KV 캐시에 남아 있던 프롬프트 토큰</translation>
    </message>
    <message>
        <source>from disk</source>
        <translation>디스크에서</translation>
    </message>
    <message>
        <source>Prompt tokens read from the cache on disk</source>
        <translation>디스크 캐시에서 읽은 프롬프트 토큰</translation>
    </message>
    <message>
        <source>computed</source>
        <translation>계산함</translation>
    </message>
    <message>
        <source>Prompt tokens that were new, or no longer cached</source>
        <translation>새로 들어왔거나 캐시에 없던 프롬프트 토큰</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>첫 토큰</translation>
    </message>
    <message>
        <source>From sending the message to the first token</source>
        <translation>메시지를 보낸 뒤 첫 토큰이 나올 때까지</translation>
    </message>
    <message>
        <source>first token, 99th percentile</source>
        <translation>첫 토큰, 99백분위수(p99)</translation>
    </message>
    <message>
        <source>99% of the answers in the last five minutes started faster</source>
        <translation>최근 5분 동안 답변의 99%가 이보다 빨리 시작됨</translation>
    </message>
    <message>
        <source>between tokens, 99th percentile</source>
        <translation>토큰 간격, 99백분위수(p99)</translation>
    </message>
    <message>
        <source>99% of the tokens in the last five minutes followed faster</source>
        <translation>최근 5분 동안 토큰의 99%가 이보다 짧은 간격으로 생성됨</translation>
    </message>
    <message>
        <source>batch</source>
        <translation>동시 처리 대화</translation>
    </message>
    <message>
        <source>Chats computed in one step</source>
        <translation>한 단계에서 함께 계산한 대화 수</translation>
    </message>
    <message>
        <source>waste</source>
        <translation>미사용 예약</translation>
    </message>
    <message>
        <source>Share of the memory allocated to answers that is still empty</source>
        <translation>답변에 할당된 메모리 중 비어 있는 비율</translation>
    </message>
    <message>
        <source>median</source>
        <translation>중앙값(p50)</translation>
    </message>
    <message>
        <source>95th percentile</source>
        <translation>95백분위수(p95)</translation>
    </message>
    <message>
        <source>99th percentile</source>
        <translation>99백분위수(p99)</translation>
    </message>
    <message>
        <source>measured in 5 minutes</source>
        <translation>최근 5분간 측정 횟수</translation>
    </message>
    <message>
        <source>chats being answered</source>
        <translation>답변 중인 대화</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>대기 중</translation>
    </message>
    <message>
        <source>For memory, or for a prefix that another chat is computing</source>
        <translation>메모리를 기다리거나, 다른 대화가 공통 부분을 계산하기를 기다립니다</translation>
    </message>
    <message>
        <source>chats in a step</source>
        <translation>단계당 대화</translation>
    </message>
    <message>
        <source>tokens in a step</source>
        <translation>단계당 토큰</translation>
    </message>
    <message>
        <source>paused for memory</source>
        <translation>메모리 부족으로 대기</translation>
    </message>
    <message>
        <source>How often an answer was preempted and resumed later</source>
        <translation>답변이 선점되었다가 다시 이어진 횟수</translation>
    </message>
    <message>
        <source>tokens generated</source>
        <translation>생성한 토큰</translation>
    </message>
    <message>
        <source>Since the model was loaded</source>
        <translation>모델을 불러온 이후</translation>
    </message>
    <message>
        <source>correct guesses</source>
        <translation>맞은 예측</translation>
    </message>
    <message>
        <source>The next tokens are guessed, and several are checked in one step. This is faster, and answers stay the same.</source>
        <translation>다음 토큰을 예측하여 한 단계에서 여러 개를 확인합니다. 더 빠르며, 답변은 달라지지 않습니다.</translation>
    </message>
    <message>
        <source>from cache, in total</source>
        <translation>캐시 사용, 전체</translation>
    </message>
    <message>
        <source>Share of all prompt tokens since the model was loaded</source>
        <translation>모델을 불러온 이후 전체 프롬프트 토큰 중 비율</translation>
    </message>
    <message>
        <source>in the last 10 minutes</source>
        <translation>최근 10분</translation>
    </message>
    <message>
        <source>read from disk</source>
        <translation>디스크에서 읽음</translation>
    </message>
    <message>
        <source>kept on disk</source>
        <translation>디스크에 보관</translation>
    </message>
    <message>
        <source>KV cache in prefix.db, so that chats continue at once after a restart</source>
        <translation>다시 시작해도 대화가 바로 이어지도록 prefix.db에 저장한 KV 캐시</translation>
    </message>
    <message>
        <source>in host memory</source>
        <translation>컴퓨터 메모리에 보관</translation>
    </message>
    <message>
        <source>What was moved out of GPU memory</source>
        <translation>GPU 메모리에서 옮긴 데이터</translation>
    </message>
    <message>
        <source>one block</source>
        <translation>블록 1개</translation>
    </message>
    <message>
        <source>%1 tokens, %2</source>
        <translation>%1토큰, %2</translation>
    </message>
    <message>
        <source>allocated, still empty</source>
        <translation>할당됨, 비어 있음</translation>
    </message>
    <message>
        <source>adapters</source>
        <translation>어댑터</translation>
    </message>
    <message>
        <source>LoRA adapters in memory, beside the model</source>
        <translation>모델과 함께 메모리에 있는 LoRA 어댑터입니다</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1개, %2</translation>
    </message>
    <message>
        <source>states in use</source>
        <translation>사용 중인 상태</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%2개 중 %1개</translation>
    </message>
    <message>
        <source>Held by chats that are being answered</source>
        <translation>답변 중인 대화가 쓰고 있습니다</translation>
    </message>
    <message>
        <source>snapshots kept</source>
        <translation>보관된 스냅숏</translation>
    </message>
    <message>
        <source>States at the ends of instructions, prompts and answers. A chat continues from the last one that is kept.</source>
        <translation>지시문, 프롬프트, 답변 끝의 상태입니다. 대화는 보관된 마지막 스냅숏에서 이어집니다.</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>메모리</translation>
    </message>
    <message>
        <source>Allocated for all states and snapshots when the model was loaded</source>
        <translation>모델을 불러올 때 모든 상태와 스냅숏을 위해 할당했습니다</translation>
    </message>
    <message>
        <source>one state</source>
        <translation>상태 하나</translation>
    </message>
    <message>
        <source>The same size however long the chat is</source>
        <translation>대화가 아무리 길어도 크기가 같습니다</translation>
    </message>
    <message>
        <source>extra snapshot</source>
        <translation>추가 스냅숏</translation>
    </message>
    <message>
        <source>every %1 tokens</source>
        <translation>%1토큰마다</translation>
    </message>
    <message>
        <source>Inside long prompts, for chats that branch off there</source>
        <translation>긴 프롬프트 안에서 갈라지는 대화를 위한 것입니다</translation>
    </message>
    <message>
        <source>computed again</source>
        <translation>다시 계산함</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1토큰</translation>
    </message>
    <message>
        <source>Prompt tokens whose keys and values were cached, but no snapshot after them was. Since the model was loaded</source>
        <translation>키와 값은 캐시에 있었지만 그 뒤의 스냅숏이 없던 프롬프트 토큰입니다. 모델을 불러온 뒤부터 셉니다</translation>
    </message>
    <message>
        <source>parts in use</source>
        <translation>사용 중인 부분</translation>
    </message>
    <message>
        <source>parts kept</source>
        <translation>보관된 부분</translation>
    </message>
    <message>
        <source>Chats continue where all parts of a window are kept</source>
        <translation>대화는 윈도의 모든 부분이 보관된 곳에서 이어집니다</translation>
    </message>
    <message>
        <source>Allocated for all parts when the model was loaded</source>
        <translation>모델을 불러올 때 모든 부분을 위해 할당했습니다</translation>
    </message>
    <message>
        <source>one part</source>
        <translation>부분 하나</translation>
    </message>
    <message>
        <source>In all layers that have a window</source>
        <translation>윈도가 있는 모든 레이어의 크기입니다</translation>
    </message>
    <message>
        <source>Prompt tokens that were cached, but no whole window before their end was. Since the model was loaded</source>
        <translation>캐시에 있었지만 그 끝 앞의 윈도가 온전하지 않던 프롬프트 토큰입니다. 모델을 불러온 뒤부터 셉니다</translation>
    </message>
    <message>
        <source>steps saved</source>
        <translation>줄어든 단계</translation>
    </message>
    <message>
        <source>Each correct guess saves one step. The percentage is of the steps that all tokens would have taken without guesses.</source>
        <translation>맞은 예측 하나마다 한 단계가 줄어듭니다. 비율은 예측 없이 모든 토큰을 생성할 때의 단계 수를 기준으로 합니다.</translation>
    </message>
</context>
<context>
    <name>quire::EngineLabels</name>
    <message>
        <source>%1 s</source>
        <translation>%1초</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1%</source>
        <translation>%1%</translation>
    </message>
    <message>
        <source>a chat that is gone</source>
        <translation>삭제된 대화</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>새 대화</translation>
    </message>
    <message>
        <source>It waited %1 for its turn.</source>
        <translation>대기 시간: %1.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s)</source>
        <translation>
            <numerusform>대화 %Ln개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln block(s)</source>
        <translation>
            <numerusform>블록 %Ln개</numerusform>
        </translation>
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
        <translation>Quire를 시작한 뒤로 받은 질문이 없습니다.</translation>
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
        <source>MiB</source>
        <translation>MiB</translation>
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
        <translation>기본값: 모델 설정</translation>
    </message>
    <message>
        <source>Default: %1</source>
        <translation>기본값: %1</translation>
    </message>
    <message>
        <source>This is a whole number from %1 to %2.</source>
        <translation>%1~%2 사이의 정수를 입력하세요.</translation>
    </message>
    <message>
        <source>Default: the device&apos;s own</source>
        <translation>기본값: 장치 설정</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>자동</translation>
    </message>
    <message>
        <source>Cache precision</source>
        <translation>캐시 정밀도</translation>
    </message>
    <message>
        <source>Prompt batch size</source>
        <translation>프롬프트 배치 크기</translation>
    </message>
    <message>
        <source>CPU threads for each model. Models that answer at the same time share the cores.</source>
        <translation>모델마다 사용하는 CPU 스레드 수입니다. 동시에 답변하는 모델은 코어를 나눠 씁니다.</translation>
    </message>
    <message>
        <source>The longest chat in tokens. A shorter context takes less memory.</source>
        <translation>대화 하나의 최대 토큰 수입니다. 작을수록 메모리를 덜 씁니다.</translation>
    </message>
    <message>
        <source>For the KV cache, all chats of a model together.</source>
        <translation>모델의 모든 대화가 함께 쓰는 KV 캐시의 메모리입니다.</translation>
    </message>
    <message>
        <source>Precision of the KV cache. 8 bit holds almost twice as much as 16 bit, with little quality loss.</source>
        <translation>KV 캐시의 정밀도입니다. 8비트는 품질 손실이 거의 없이 16비트의 두 배 가까이 담습니다.</translation>
    </message>
    <message>
        <source>Prompt tokens computed in one step. More processes long prompts faster; fewer keep other answers smoother.</source>
        <translation>한 번에 계산하는 프롬프트 토큰 수입니다. 크면 긴 프롬프트를 더 빨리 처리하고, 작으면 다른 답변이 더 고르게 나옵니다.</translation>
    </message>
    <message>
        <source>Default: depends on free memory</source>
        <translation>기본값: 남은 메모리에 따라</translation>
    </message>
    <message>
        <source>Not every device here supports this precision. Choose another.</source>
        <translation>이 컴퓨터의 일부 장치에서 지원하지 않습니다. 다른 값을 선택하세요.</translation>
    </message>
    <message>
        <source>Reloading: %1. Running answers finish first.</source>
        <translation>다시 불러오는 중: %1. 생성 중인 답변을 먼저 마칩니다.</translation>
    </message>
    <message>
        <source>All loaded models use these values.</source>
        <translation>불러온 모든 모델에 이 설정이 적용되어 있습니다.</translation>
    </message>
    <message>
        <source>Still loaded with earlier values: %1. To reload, apply the changes; running answers finish first.</source>
        <translation>이전 설정으로 불러온 모델: %1. 변경 사항을 적용하면 생성 중인 답변을 마친 뒤 다시 불러옵니다.</translation>
    </message>
</context>
<context>
    <name>quire::EngineStatus</name>
    <message>
        <source>What the model runs on</source>
        <translation>모델이 실행되는 장치</translation>
    </message>
    <message>
        <source>%1 %2%</source>
        <translation>%1 %2%</translation>
    </message>
    <message>
        <source>%1 answers on this computer. What you write to it stays here.</source>
        <translation>%1 모델이 이 컴퓨터에서 답변합니다. 이 모델에 입력한 내용은 이 컴퓨터에 머무릅니다.</translation>
    </message>
    <message>
        <source>No model is loaded, so nothing can be asked now. What you write is kept.</source>
        <translation>불러온 모델이 없어 지금은 질문할 수 없습니다. 입력한 내용은 보관됩니다.</translation>
    </message>
    <message>
        <source>The model is being loaded. You can write already.</source>
        <translation>모델을 불러오는 중입니다. 메시지를 미리 입력할 수 있습니다.</translation>
    </message>
    <message>
        <source>Its files hold no chat format, so Quire writes the chat as plain text. It may be a model that only continues text.</source>
        <translation>파일에 대화 형식이 없어 일반 텍스트로 대화합니다. 텍스트를 이어 쓰기만 하는 모델일 수 있습니다.</translation>
    </message>
    <message>
        <source>Its files hold no chat format; by its special tokens Quire uses %1.</source>
        <translation>파일에 대화 형식이 없어 특수 토큰에 맞는 형식을 사용합니다: %1</translation>
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
        <translation>%1 · 데모 모델</translation>
    </message>
    <message>
        <source>The model did not load. The reason stands above the message field.</source>
        <translation>모델을 불러오지 못했습니다. 이유는 메시지 입력란 위에 있습니다.</translation>
    </message>
    <message>
        <source>%1-token context</source>
        <translation>컨텍스트 %1토큰</translation>
    </message>
    <message>
        <source>%1 tok/s · %2</source>
        <translation>%1 토큰/초 · %2</translation>
    </message>
    <message>
        <source>You are talking to a small demonstration model that comes with Quire: quick, and often wrong. Choose your own above, or drop its file onto the window. What you write to it stays on this computer.</source>
        <translation>Quire에 기본 제공되는 작은 데모 모델입니다. 빠르지만 자주 틀립니다. 위에서 다른 모델을 선택하거나 모델 파일을 창에 끌어 놓으세요. 이 모델에 입력한 내용은 이 컴퓨터에 머무릅니다.</translation>
    </message>
    <message>
        <source>A tiny model trained for Quire, to show how it works. It is limited and often wrong.
Press to choose another, or drop a model&apos;s file onto the window.</source>
        <translation>Quire를 체험할 수 있는 아주 작은 모델입니다. 기능이 제한적이고 자주 틀립니다.
누르면 다른 모델을 선택할 수 있습니다. 모델 파일을 창에 끌어 놓아도 됩니다.</translation>
    </message>
</context>
<context>
    <name>quire::EngineWorkerTexts</name>
    <message>
        <source>Another model was loaded while this answer was being written. What there was is kept; regenerate it to have all of it.</source>
        <translation>답변을 생성하는 동안 다른 모델을 불러왔습니다. 지금까지의 내용은 남아 있습니다. 전체 답변을 보려면 다시 생성하세요.</translation>
    </message>
</context>
<context>
    <name>quire::ErrorWords</name>
    <message>
        <source>%1 cannot be deleted. Delete it, or choose another name.</source>
        <translation>%1 파일을 삭제할 수 없습니다. 직접 삭제하거나 다른 이름을 선택하세요.</translation>
    </message>
    <message>
        <source>%1: the pooling &quot;%2&quot; is not supported; choose mean, last or cls with --pooling</source>
        <translation>%1: &quot;%2&quot; 풀링은 Quire가 계산하지 않습니다. --pooling으로 mean, last, cls 중 하나를 선택하세요</translation>
    </message>
    <message>
        <source>%1: the module %2 is not supported; choose a model without it</source>
        <translation>%1: %2 모듈은 Quire가 계산하지 않습니다. 이 모듈이 없는 모델을 선택하세요</translation>
    </message>
    <message>
        <source>%1 is no LoRA adapter; choose a folder with adapter_config.json and adapter_model.safetensors, or a GGUF file that holds an adapter</source>
        <translation>%1 항목은 LoRA 어댑터가 아닙니다. adapter_config.json과 adapter_model.safetensors가 있는 폴더나 어댑터가 든 GGUF 파일을 선택하세요</translation>
    </message>
    <message>
        <source>the adapter %1 has no adapter_model.safetensors; get the safetensors version</source>
        <translation>어댑터 %1 폴더에 adapter_model.safetensors가 없습니다. safetensors 버전을 받으세요</translation>
    </message>
    <message>
        <source>the adapter %1 uses %2, which Quire does not support; choose a plain LoRA adapter, or merge this one into its model</source>
        <translation>어댑터 %1 항목이 사용하는 %2 방식은 Quire가 지원하지 않습니다. 일반 LoRA 어댑터를 선택하거나 이 어댑터를 모델과 병합하세요</translation>
    </message>
    <message>
        <source>the adapter %1 is for models of the architecture &quot;%2&quot;, and this model is &quot;%3&quot;; choose an adapter that was made for it</source>
        <translation>어댑터 %1 파일은 &quot;%2&quot; 아키텍처용이고 이 모델은 &quot;%3&quot;입니다. 이 모델용으로 만든 어댑터를 선택하세요</translation>
    </message>
    <message>
        <source>the adapter %1 does not fit this model: %2 has another shape; choose an adapter that was made for it</source>
        <translation>어댑터 %1 항목이 이 모델에 맞지 않습니다. %2 텐서의 모양이 다릅니다. 이 모델용으로 만든 어댑터를 선택하세요</translation>
    </message>
    <message>
        <source>the adapter %1 changes %2, whose order differs between folders and GGUF files; choose an adapter in the format of the model</source>
        <translation>어댑터 %1 항목이 바꾸는 %2 텐서는 폴더와 GGUF 파일에서 순서가 다릅니다. 모델과 같은 형식의 어댑터를 선택하세요</translation>
    </message>
    <message>
        <source>%1 adapters are in use, which is as many as Quire loads at once; wait until an answer has ended</source>
        <translation>어댑터 %1개가 사용 중이며, Quire가 한 번에 불러올 수 있는 최대 개수입니다. 답변이 끝날 때까지 기다리세요</translation>
    </message>
    <message>
        <source>the adapter %1 has changed since it was loaded; load the model again</source>
        <translation>어댑터 %1 항목이 불러온 뒤에 바뀌었습니다. 모델을 다시 불러오세요</translation>
    </message>
    <message>
        <source>The adapter %1 is not there any more. Choose it again in the persona, or remove it from there.</source>
        <translation>어댑터 %1 항목이 더 이상 없습니다. 페르소나에서 다시 선택하거나 제거하세요.</translation>
    </message>
    <message>
        <source>Reading %1 was interrupted, so it is not loaded. Load it again, or scan again.</source>
        <translation>%1 파일 읽기가 중단되어 불러오지 않습니다. 다시 불러오거나 다시 검색하세요.</translation>
    </message>
    <message>
        <source>Reading %1 took too long because this computer is busy, so it is not loaded. Try again when it is less busy.</source>
        <translation>컴퓨터가 바빠 %1 파일을 읽는 데 시간이 너무 오래 걸려 불러오지 않습니다. 덜 바쁠 때 다시 시도하세요.</translation>
    </message>
    <message>
        <source>quire-inspect does not run. Install Quire again.</source>
        <translation>quire-inspect 프로그램이 실행되지 않습니다. Quire를 다시 설치하세요.</translation>
    </message>
    <message>
        <source>Reading %1 ended in a crash, so it is not loaded. It is read again when it changes, or with Try again.</source>
        <translation>%1 파일을 읽다가 프로세스가 비정상 종료되어 불러오지 않습니다. 파일이 바뀌거나 ‘다시 시도’를 누르면 다시 읽습니다.</translation>
    </message>
    <message>
        <source>Reading %1 took too long, so it is not loaded. It is read again when it changes, or with Try again.</source>
        <translation>%1 파일을 읽는 데 너무 오래 걸려 불러오지 않습니다. 파일이 바뀌거나 ‘다시 시도’를 누르면 다시 읽습니다.</translation>
    </message>
    <message>
        <source>Reading %1 takes too much memory, so it is not loaded. It is read again when it changes, or with Try again.</source>
        <translation>%1 파일을 읽는 데 메모리가 너무 많이 필요하여 불러오지 않습니다. 파일이 바뀌거나 ‘다시 시도’를 누르면 다시 읽습니다.</translation>
    </message>
    <message>
        <source>It was not read, because other files took too long. Rescan to read it.</source>
        <translation>다른 파일이 너무 오래 걸려 읽지 못했습니다. 다시 검색하면 읽습니다.</translation>
    </message>
    <message>
        <source>%1 does not exist</source>
        <translation>%1 경로가 존재하지 않습니다. 경로를 확인하세요</translation>
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
        <source>%1 is %2 bytes long; Quire reads up to %3</source>
        <translation>%1 파일은 %2바이트입니다. Quire는 %3바이트까지 읽습니다</translation>
    </message>
    <message>
        <source>%1 has more than %2 bytes of metadata, which Quire does not read</source>
        <translation>%1 파일의 메타데이터가 %2바이트를 넘어 Quire가 읽지 않습니다</translation>
    </message>
    <message>
        <source>%1 became shorter while it was read; load it again when it is complete</source>
        <translation>%1 파일이 읽는 동안 짧아졌습니다. 파일이 완성된 뒤 다시 불러오세요</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>%1 파일을 읽을 수 없습니다: %2</translation>
    </message>
    <message>
        <source>%1 exists and is not overwritten; choose another name, or delete it first</source>
        <translation>%1 파일이 이미 있으며 덮어쓰지 않습니다. 다른 이름을 선택하거나 먼저 삭제하세요</translation>
    </message>
    <message>
        <source>&quot;%1&quot; ends without the name of a file; add one</source>
        <translation>&quot;%1&quot; 경로의 끝에 파일 이름이 없습니다. 이름을 붙이세요</translation>
    </message>
    <message>
        <source>%1 is a link to another file, or no ordinary file; choose another name, or delete it first</source>
        <translation>%1 이름은 다른 파일에 연결되어 있거나 일반 파일이 아닙니다. 다른 이름을 선택하거나 먼저 삭제하세요</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>%1 파일을 쓸 수 없습니다: %2</translation>
    </message>
    <message>
        <source>%1 is there from a run that did not finish; continue it with --resume, or delete it first</source>
        <translation>%1 파일은 끝나지 않은 작업의 것입니다. --resume으로 이어서 하거나 먼저 삭제하세요</translation>
    </message>
    <message>
        <source>another program is writing %1; wait until it has finished</source>
        <translation>다른 프로그램이 %1 파일을 쓰고 있습니다. 끝날 때까지 기다리세요</translation>
    </message>
    <message>
        <source>%1 was begun from another model or with other options; repeat those, or delete it first</source>
        <translation>%1 파일은 다른 모델이나 다른 설정으로 시작되었습니다. 같은 설정으로 다시 하거나 먼저 삭제하세요</translation>
    </message>
    <message>
        <source>the tensor %1 of %2 holds NaN, infinity or numbers too large for %3; download the model again, or choose F32 or BF16</source>
        <translation>%2의 텐서 %1에 NaN, 무한대 또는 %3 형식에 너무 큰 수가 있습니다. 모델을 다시 다운로드하거나 F32 또는 BF16을 선택하세요</translation>
    </message>
    <message>
        <source>the disk of %1 has %2 bytes left, and %3 more are needed; free some space, or choose another folder</source>
        <translation>%1 파일이 있는 디스크에 %2바이트가 남아 있는데 %3바이트가 더 필요합니다. 공간을 비우거나 다른 폴더를 선택하세요</translation>
    </message>
    <message>
        <source>the tensor %1 of %2 has rows of %3 numbers, and Quire converts at most %4; choose another model</source>
        <translation>%2의 텐서 %1에는 한 행에 숫자가 %3개 있으며 Quire는 최대 %4개까지 변환합니다. 다른 모델을 선택하세요</translation>
    </message>
    <message>
        <source>%1 cannot be written as a GGUF file: its metadata or tensors exceed what GGUF files can have; choose another model</source>
        <translation>%1 모델은 GGUF 파일로 쓸 수 없습니다. 메타데이터나 텐서가 GGUF 파일에 쓸 수 있는 한도를 넘습니다. 다른 모델을 선택하세요</translation>
    </message>
    <message>
        <source>a context of one token cannot be measured; choose another model</source>
        <translation>컨텍스트가 토큰 하나뿐이면 측정할 수 없습니다. 다른 모델을 선택하세요</translation>
    </message>
    <message>
        <source>the tensor %1 of %2 is %3, which Quire cannot convert; take the model in F32, F16 or BF16</source>
        <translation>%2의 텐서 %1 형식은 Quire가 변환할 수 없는 %3입니다. F32, F16 또는 BF16 모델을 쓰세요</translation>
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
        <translation>%1 파일이 비어 있습니다. 다시 다운로드하세요</translation>
    </message>
    <message>
        <source>%1 is no model that Quire reads; choose a GGUF file or the folder that holds config.json and the safetensors</source>
        <translation>%1 항목은 Quire가 읽을 수 있는 모델이 아닙니다. GGUF 파일이나, config.json과 safetensors 파일이 있는 폴더를 선택하세요</translation>
    </message>
    <message>
        <source>%1 holds no model: neither config.json with safetensors nor a GGUF file. Choose the folder or the file of the model itself, which may lie deeper</source>
        <translation>%1 폴더에 모델이 없습니다. config.json과 safetensors 파일도, GGUF 파일도 없습니다. 하위 폴더에 있는 모델 폴더나 파일을 선택하세요</translation>
    </message>
    <message>
        <source>%1 holds no model but, by its own account, &quot;%2&quot;; choose the model&apos;s file</source>
        <translation>%1 파일에 든 것은 모델이 아니라 &quot;%2&quot;입니다. 모델 파일을 선택하세요</translation>
    </message>
    <message>
        <source>%1 has its weights as %2, which Quire does not read; get the safetensors version</source>
        <translation>%1 폴더의 가중치는 Quire가 읽지 못하는 %2 형식입니다. safetensors 버전을 받으세요</translation>
    </message>
    <message>
        <source>%1 has no model.safetensors and no model.safetensors.index.json</source>
        <translation>%1 폴더에 model.safetensors도 model.safetensors.index.json도 없습니다</translation>
    </message>
    <message>
        <source>%1 is not a GGUF file; download it again</source>
        <translation>%1 파일은 GGUF 파일이 아닙니다. 다시 다운로드하세요</translation>
    </message>
    <message>
        <source>%1 is only %2 bytes long; download it again</source>
        <translation>%1 파일이 %2바이트밖에 안 됩니다. 다시 다운로드하세요</translation>
    </message>
    <message>
        <source>%1 ends within its header; download it again</source>
        <translation>%1 파일이 헤더에서 끊겼습니다. 다시 다운로드하세요</translation>
    </message>
    <message>
        <source>%1 ends within its key number %2; download it again</source>
        <translation>%1 파일이 %2번째 키에서 끊겼습니다. 다시 다운로드하세요</translation>
    </message>
    <message>
        <source>%1 ends within its tensor number %2; download it again</source>
        <translation>%1 파일이 %2번째 텐서에서 끊겼습니다. 다시 다운로드하세요</translation>
    </message>
    <message>
        <source>%1 is damaged: the tensor &quot;%2&quot; ends after the end of the file, which has %3 bytes; download it again</source>
        <translation>%1 파일이 손상되었습니다. 텐서 &quot;%2&quot;가 %3바이트인 파일의 끝을 넘어갑니다. 다시 다운로드하세요</translation>
    </message>
    <message>
        <source>%1 is %2 bytes shorter than its header says; download it again</source>
        <translation>%1 파일이 헤더에 적힌 것보다 %2바이트 짧습니다. 다시 다운로드하세요</translation>
    </message>
    <message>
        <source>%1 is not a safetensors file, or its header is damaged; download it again</source>
        <translation>%1 파일은 safetensors 파일이 아니거나 헤더가 손상되었습니다. 다시 다운로드하세요</translation>
    </message>
    <message>
        <source>%1 is damaged: %2; download it again</source>
        <translation>%1 파일이 손상되었습니다(%2). 다시 다운로드하세요</translation>
    </message>
    <message>
        <source>%1 is missing; %2 needs all %3 parts beside it</source>
        <translation>%1 파일이 없습니다. %2 모델에는 나뉜 파일 %3개가 모두 나란히 있어야 합니다</translation>
    </message>
    <message>
        <source>the model&apos;s files hold no tensor &quot;%1&quot;</source>
        <translation>모델 파일에 필요한 텐서가 없습니다: &quot;%1&quot;</translation>
    </message>
    <message>
        <source>%1 is GGUF version %2; Quire reads %3</source>
        <translation>%1 파일은 GGUF 버전 %2입니다. Quire가 읽는 버전: %3</translation>
    </message>
    <message>
        <source>%1: the architecture %2 is not supported; Quire runs %3</source>
        <translation>%1: %2 아키텍처는 지원하지 않습니다. 지원하는 아키텍처: %3</translation>
    </message>
    <message>
        <source>%1: the weights are quantised by %2, which Quire does not read; it reads f32, f16, bf16, AWQ, GPTQ, compressed-tensors, FP8 and bitsandbytes here, and others from GGUF files</source>
        <translation>%1: 가중치가 지원하지 않는 %2 방식으로 양자화되어 있습니다. 여기서는 f32, f16, bf16, AWQ, GPTQ, compressed-tensors, FP8, bitsandbytes를 읽고, 그 밖의 형식은 GGUF 파일에서 읽습니다</translation>
    </message>
    <message>
        <source>%1: the weights are quantised by %2, a variant that Quire does not read; get another version of the model, or a GGUF file of it</source>
        <translation>%1: 가중치가 %2 방식으로 양자화되어 있는데, 지원하지 않는 변형입니다. 모델의 다른 버전이나 GGUF 파일을 받으세요</translation>
    </message>
    <message>
        <source>%1: the tensor &quot;%2&quot; is %3, which Quire does not compute with; get the model in another quantisation (%4)</source>
        <translation>%1: &quot;%2&quot; 텐서는 지원하지 않는 %3 형식입니다. 다른 양자화 모델을 받으세요(%4)</translation>
    </message>
    <message>
        <source>%1: the tensor &quot;%2&quot; is %3, which Quire does not compute with</source>
        <translation>%1: &quot;%2&quot; 텐서는 지원하지 않는 %3 형식입니다</translation>
    </message>
    <message>
        <source>%1 is absent, so that it has no tokenizer; choose another conversion</source>
        <translation>%1 항목이 없어 토크나이저가 없습니다. 다르게 변환한 모델을 선택하세요</translation>
    </message>
    <message>
        <source>There is not enough memory to load &quot;%1&quot;. Close other programs, or choose a smaller model.</source>
        <translation>&quot;%1&quot; 모델을 불러올 메모리가 부족합니다. 다른 프로그램을 닫거나 더 작은 모델을 선택하세요.</translation>
    </message>
    <message>
        <source>The system has no %1 MB of memory left for this. Choose a smaller model or context, or close other programs.</source>
        <translation>메모리 %1 MB를 할당할 수 없습니다. 더 작은 모델이나 컨텍스트를 선택하거나 다른 프로그램을 닫으세요.</translation>
    </message>
    <message>
        <source>The cache for keys and values needs at least %1 for this model; its devices have %2 free beside the weights, work space included. Choose a smaller model or the device &quot;cpu&quot;, or close other programs.</source>
        <translation>이 모델의 KV 캐시에는 최소 %1가 필요하지만, 장치에는 가중치를 제외하고 연산 버퍼를 포함해 %2가 남아 있습니다. 더 작은 모델이나 &quot;cpu&quot; 장치를 선택하거나 다른 프로그램을 닫으세요.</translation>
    </message>
    <message>
        <source>The cache for keys and values needs at least %1 for this model; its budget is %2. Choose a larger one.</source>
        <translation>이 모델의 KV 캐시에는 최소 %1가 필요하지만 한도가 %2입니다. 한도를 늘리세요.</translation>
    </message>
    <message>
        <source>The number of CPU threads is %1; it must be between 0 (all cores) and 1024.</source>
        <translation>CPU 스레드 수가 %1입니다. 0(모든 코어)에서 1024 사이여야 합니다.</translation>
    </message>
    <message>
        <source>The GPU failed in %1: %2</source>
        <translation>GPU 오류(%1): %2</translation>
    </message>
    <message>
        <source>The logits of %1 for token %2 are not numbers: its weights or the device may be damaged. Download it again, or choose the device &quot;cpu&quot;.</source>
        <translation>%1 모델의 토큰 %2에 대한 로짓이 숫자가 아닙니다. 가중치나 장치가 손상되었을 수 있습니다. 모델을 다시 다운로드하거나 장치로 &quot;cpu&quot;를 선택하세요.</translation>
    </message>
    <message>
        <source>The prompt is empty; write something first.</source>
        <translation>프롬프트가 비어 있습니다. 먼저 내용을 입력하세요.</translation>
    </message>
    <message>
        <source>The prompt has %1 tokens, and the context of %2 leaves no room for an answer; make the prompt shorter or the context larger.</source>
        <translation>프롬프트가 %1토큰이라 %2토큰 컨텍스트에 답변할 공간이 없습니다. 프롬프트를 줄이거나 컨텍스트를 늘리세요.</translation>
    </message>
    <message>
        <source>The prompt has more than %1 tokens, and the context holds %2; shorten it, or choose a model that reads more at once.</source>
        <translation>프롬프트가 %1토큰을 넘는데 컨텍스트는 %2토큰을 담습니다. 줄이거나 더 많이 읽는 모델을 선택하세요.</translation>
    </message>
    <message>
        <source>The prompt has %1 tokens, %2 of them the last message&apos;s, and the context holds %3; shorten the message, or choose a model that reads more at once.</source>
        <translation>프롬프트가 %1토큰(마지막 메시지가 %2토큰)인데 컨텍스트는 %3토큰을 담습니다. 메시지를 줄이거나 더 많이 읽는 모델을 선택하세요.</translation>
    </message>
    <message>
        <source>The prompt has %1 tokens, %2 of them the system prompt&apos;s, and the context holds %3; the system prompt is too long: shorten it, or choose a model that reads more at once.</source>
        <translation>프롬프트가 %1토큰(시스템 프롬프트가 %2토큰)인데 컨텍스트는 %3토큰을 담습니다. 시스템 프롬프트가 너무 깁니다. 줄이거나 더 많이 읽는 모델을 선택하세요.</translation>
    </message>
    <message>
        <source>Even without the earlier messages the prompt has %1 tokens, %2 of them the last message&apos;s, and the context holds %3; shorten the message, or choose a model that reads more at once.</source>
        <translation>앞선 메시지를 빼도 프롬프트가 %1토큰(마지막 메시지가 %2토큰)인데 컨텍스트는 %3토큰을 담습니다. 메시지를 줄이거나 더 많이 읽는 모델을 선택하세요.</translation>
    </message>
    <message>
        <source>Even without the earlier messages the prompt has %1 tokens, %2 of them the system prompt&apos;s, and the context holds %3; the system prompt is too long: shorten it, or choose a model that reads more at once.</source>
        <translation>앞선 메시지를 빼도 프롬프트가 %1토큰(시스템 프롬프트가 %2토큰)인데 컨텍스트는 %3토큰을 담습니다. 시스템 프롬프트가 너무 깁니다. 줄이거나 더 많이 읽는 모델을 선택하세요.</translation>
    </message>
    <message>
        <source>The chat template of this model does not read tools. Choose a model that can call tools, or leave them out.</source>
        <translation>이 모델의 대화 템플릿은 도구를 읽지 않습니다. 도구를 호출할 수 있는 모델을 선택하거나 도구를 빼세요.</translation>
    </message>
    <message>
        <source>This value cannot be used: %1</source>
        <translation>사용할 수 없는 값: %1</translation>
    </message>
    <message>
        <source>Something that is needed is not there: %1</source>
        <translation>필요한 항목이 없습니다: %1</translation>
    </message>
    <message>
        <source>The model&apos;s files are damaged or do not belong together: %1</source>
        <translation>모델 파일이 손상되었거나 서로 맞지 않습니다: %1</translation>
    </message>
    <message>
        <source>Quire does not run this model: %1</source>
        <translation>지원하지 않는 모델입니다: %1</translation>
    </message>
    <message>
        <source>There is not enough memory: %1</source>
        <translation>메모리가 부족합니다: %1</translation>
    </message>
    <message>
        <source>The system could not read or write: %1</source>
        <translation>읽기/쓰기 오류: %1</translation>
    </message>
    <message>
        <source>The chat is too long for the context: %1</source>
        <translation>대화가 컨텍스트보다 깁니다: %1</translation>
    </message>
    <message>
        <source>The model&apos;s chat template cannot be used: %1</source>
        <translation>모델의 대화 템플릿을 사용할 수 없습니다: %1</translation>
    </message>
    <message>
        <source>It was cancelled: %1</source>
        <translation>취소되었습니다: %1</translation>
    </message>
    <message>
        <source>The device failed: %1</source>
        <translation>장치 오류: %1</translation>
    </message>
    <message>
        <source>Something went wrong inside Quire: %1</source>
        <translation>내부 오류: %1</translation>
    </message>
    <message>
        <source>No layer of %1 attends; Quire runs models with attention in some layers. Choose another model.</source>
        <translation>%1 모델에는 어텐션 레이어가 없습니다. Quire는 일부 레이어에 어텐션이 있는 모델을 실행합니다. 다른 모델을 선택하세요.</translation>
    </message>
    <message>
        <source>Keys and values in %1 are not kept on the device %2. Choose %3.</source>
        <translation>%2 장치는 %1 형식의 KV 캐시를 지원하지 않습니다. 다음 중에서 선택하세요: %3.</translation>
    </message>
    <message>
        <source>This model&apos;s attention has %1 dimensions; the device %2 computes at most %3. Choose the device &quot;cpu&quot;.</source>
        <translation>이 모델의 어텐션은 %1차원이지만 %2 장치는 최대 %3차원까지 계산합니다. &quot;cpu&quot; 장치를 선택하세요.</translation>
    </message>
    <message>
        <source>The device %1 cannot compute layers together with others.</source>
        <translation>%1 장치는 다른 장치와 함께 레이어를 계산할 수 없습니다.</translation>
    </message>
    <message>
        <source>Several GPUs compute layers together only with NCCL, which cannot be loaded (%1). Install NVIDIA&apos;s package libnccl2, or name the library&apos;s file in QUIRE_NCCL_LIBRARY.</source>
        <translation>여러 GPU가 레이어를 함께 계산하려면 NCCL이 필요하지만 불러올 수 없습니다(%1). NVIDIA의 libnccl2 패키지를 설치하거나 QUIRE_NCCL_LIBRARY에 라이브러리 파일을 지정하세요.</translation>
    </message>
    <message>
        <source>NCCL does not start on these GPUs (status %1). Name each GPU once, or choose one GPU. NCCL_DEBUG=WARN shows more.</source>
        <translation>이 GPU들에서 NCCL이 시작되지 않습니다(상태 %1). 각 GPU를 한 번씩만 지정하거나 GPU 하나를 선택하세요. NCCL_DEBUG=WARN을 설정하면 자세한 내용이 표시됩니다.</translation>
    </message>
    <message>
        <source>GPUs of different generations do not compute layers together, because their results differ in the last bits. Give them layers of their own: separate their names by commas.</source>
        <translation>세대가 다른 GPU는 결과의 마지막 비트가 달라 레이어를 함께 계산하지 않습니다. 이름을 쉼표로 구분해 레이어를 나누어 맡기세요.</translation>
    </message>
    <message>
        <source>This model&apos;s attention heads have %1 numbers, too many for several GPUs that compute each layer together. Choose one device.</source>
        <translation>이 모델의 어텐션 헤드는 숫자가 %1개여서 각 레이어를 함께 계산하는 여러 GPU에는 너무 큽니다. 장치 하나를 선택하세요.</translation>
    </message>
    <message>
        <source>This model&apos;s recurrent layers keep states of %1 columns; the device %2 computes at most %3. Choose the device &quot;cpu&quot;.</source>
        <translation>이 모델의 순환 레이어 상태는 %1열이지만 %2 장치는 최대 %3열까지 계산합니다. &quot;cpu&quot; 장치를 선택하세요.</translation>
    </message>
    <message>
        <source>There is not enough memory to read what this file says about itself.</source>
        <translation>이 파일의 정보를 읽을 메모리가 부족합니다.</translation>
    </message>
    <message>
        <source>There is not enough memory to prepare this prompt. Close other programs, or shorten it.</source>
        <translation>이 프롬프트를 준비할 메모리가 부족합니다. 다른 프로그램을 닫거나 프롬프트를 줄이세요.</translation>
    </message>
    <message>
        <source>%1 needs more than %2 MB of memory</source>
        <translation>%1: 메모리가 %2 MB 넘게 필요합니다</translation>
    </message>
    <message>
        <source>%1 takes more than %2 ms of processor time</source>
        <translation>%1: 프로세서 시간이 %2 ms 넘게 걸립니다</translation>
    </message>
    <message>
        <source>%1, with what was read before, takes more than %2 ms of processor time</source>
        <translation>%1: 앞서 읽은 부분과 합해 프로세서 시간이 %2 ms 넘게 걸립니다</translation>
    </message>
    <message>
        <source>%1 takes more than %2 steps</source>
        <translation>%1: 단계가 %2개를 넘습니다</translation>
    </message>
    <message>
        <source>%1 was cancelled</source>
        <translation>%1: 취소했습니다</translation>
    </message>
    <message>
        <source>the adapter %1 changes %2, which this model does not have or Quire cannot adapt; choose one of this model that changes only linear layers of attention and MLPs</source>
        <translation>어댑터 %1 항목이 바꾸는 %2 부분이 이 모델에 없거나, Quire가 어댑터를 적용할 수 없는 부분입니다. 이 모델용이며 어텐션과 MLP의 선형 층만 바꾸는 어댑터를 선택하세요</translation>
    </message>
    <message>
        <source>%1 is a folder; give the name of the file to write</source>
        <translation>%1 항목은 폴더입니다. 만들 파일의 이름을 입력하세요</translation>
    </message>
    <message>
        <source>the text holds less than two tokens; choose a longer one</source>
        <translation>텍스트가 토큰 2개보다 짧습니다. 더 긴 텍스트를 선택하세요</translation>
    </message>
    <message>
        <source>%1 is an adapter and not a whole model; load its model, and choose the adapter in a persona or with --adapter</source>
        <translation>%1 항목은 전체 모델이 아니라 어댑터입니다. 원래 모델을 불러온 뒤 페르소나에서 또는 --adapter로 이 어댑터를 선택하세요</translation>
    </message>
    <message>
        <source>%1 holds Medusa heads, which guess for a model and are no model themselves; load their model with quire-cli, and choose the heads with --draft</source>
        <translation>%1 항목은 모델이 아니라 모델을 위해 추측하는 Medusa 헤드입니다. quire-cli로 원래 모델을 불러온 뒤 --draft로 이 헤드를 선택하세요</translation>
    </message>
    <message>
        <source>%1 has neither tokenizer.json nor tokenizer.model; download one of them too</source>
        <translation>%1 폴더에 tokenizer.json도 tokenizer.model도 없습니다. 둘 중 하나를 함께 받으세요</translation>
    </message>
    <message>
        <source>%1 has its tokenizer as vocab.json and merges.txt, which Quire does not read; write tokenizer.json with transformers (AutoTokenizer.from_pretrained and save_pretrained)</source>
        <translation>%1 폴더의 토크나이저는 Quire가 읽지 못하는 vocab.json과 merges.txt 형식입니다. transformers(AutoTokenizer.from_pretrained와 save_pretrained)로 tokenizer.json을 만드세요</translation>
    </message>
    <message>
        <source>Port %1 of %2 is in use: choose another port, or close the program that uses it.</source>
        <translation>%2 주소의 포트 %1번은 이미 사용 중입니다. 다른 포트를 선택하거나 그 포트를 사용하는 프로그램을 닫으세요.</translation>
    </message>
    <message>
        <source>Port %1 of %2 is reserved for the system: choose one above 1023.</source>
        <translation>%2 주소의 포트 %1번은 시스템용입니다. 1023보다 큰 포트를 선택하세요.</translation>
    </message>
    <message>
        <source>%1 is not an address of this computer: choose one of its own, such as 127.0.0.1.</source>
        <translation>%1 항목은 이 컴퓨터의 주소가 아닙니다. 127.0.0.1처럼 이 컴퓨터의 주소를 선택하세요.</translation>
    </message>
    <message>
        <source>The server cannot use port %1 of %2: %3.</source>
        <translation>서버가 %2 주소의 포트 %1번을 사용할 수 없습니다. %3.</translation>
    </message>
    <message>
        <source>An API key must have 1 to 1024 letters, digits or signs of ASCII, without spaces; choose another one.</source>
        <translation>API 키는 공백 없이 ASCII 문자, 숫자, 기호 1~1024자여야 합니다. 다른 키를 선택하세요.</translation>
    </message>
    <message>
        <source>At %1 others can reach the server: set an API key, or let it listen at 127.0.0.1.</source>
        <translation>%1 주소에서는 다른 컴퓨터가 서버에 접속할 수 있습니다. API 키를 설정하거나 127.0.0.1 주소를 사용하세요.</translation>
    </message>
    <message>
        <source>Web pages can be allowed only with an API key: set one, or allow no origins.</source>
        <translation>웹 페이지는 API 키가 있을 때만 허용할 수 있습니다. 키를 설정하거나 출처를 허용하지 마세요.</translation>
    </message>
    <message>
        <source>%1 is not the origin of a web page: write it like https://example.org.</source>
        <translation>%1 항목은 웹 페이지의 출처가 아닙니다. https://example.org 형식으로 쓰세요.</translation>
    </message>
    <message>
        <source>No NVIDIA driver is installed.</source>
        <translation>NVIDIA 드라이버가 설치되어 있지 않습니다.</translation>
    </message>
    <message>
        <source>The NVIDIA driver finds no GPU.</source>
        <translation>NVIDIA 드라이버가 GPU를 찾지 못했습니다.</translation>
    </message>
    <message>
        <source>&quot;%1&quot; has another vocabulary than the model that it should guess for. Choose a draft model of the same family.</source>
        <translation>&quot;%1&quot;의 어휘가 예측을 도울 모델의 어휘와 다릅니다. 같은 계열의 초안 모델을 선택하세요.</translation>
    </message>
    <message>
        <source>Quire does not write %1 as a GGUF file yet; it writes folders of %2</source>
        <translation>Quire는 아직 %1 모델을 GGUF 파일로 저장하지 못합니다. 다음 모델의 폴더만 저장할 수 있습니다: %2</translation>
    </message>
    <message>
        <source>Quire does not write %1 yet; choose one of %2</source>
        <translation>Quire는 아직 %1 형식으로 저장하지 못합니다. 다음 중에서 선택하세요: %2</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not a type of GGUF files; choose one of %2</source>
        <translation>GGUF 파일에 &quot;%1&quot; 형식은 없습니다. 다음 중에서 선택하세요: %2</translation>
    </message>
    <message>
        <source>%1 is there already, and is not what the hub has now. Move or delete it, or choose another folder</source>
        <translation>%1: 같은 이름이 이미 있지만 허브에 있는 것과 다릅니다. 옮기거나 삭제하거나, 다른 폴더를 선택하세요</translation>
    </message>
    <message>
        <source>%1 is not what the hub promised, or has changed meanwhile. Try again later</source>
        <translation>%1 파일은 허브가 알린 것과 다르거나 그사이 바뀌었습니다. 나중에 다시 시도하세요</translation>
    </message>
    <message>
        <source>%1 is complete, but cannot be moved to its place: %2. Try again, or choose another folder</source>
        <translation>모두 받았지만 %1 자리로 옮길 수 없습니다: %2. 다시 시도하거나 다른 폴더를 선택하세요</translation>
    </message>
    <message>
        <source>the folder %1 cannot be written: %2. Choose another folder, or change its permissions</source>
        <translation>%1 폴더에 쓸 수 없습니다: %2. 다른 폴더를 선택하거나 권한을 바꾸세요</translation>
    </message>
    <message>
        <source>%1 is what the hub has, but it is not a model that Quire can read: %2. It is kept in %3. Choose another model</source>
        <translation>%1 파일은 허브에 있는 그대로지만 읽을 수 있는 모델이 아닙니다: %2. 파일은 %3에 있습니다. 다른 모델을 선택하세요</translation>
    </message>
    <message>
        <source>%1 is being downloaded already, by another program or window. Wait for it</source>
        <translation>다른 프로그램이나 창에서 이미 다운로드하고 있습니다: %1. 끝날 때까지 기다리세요</translation>
    </message>
    <message>
        <source>%1 has a file with the name &quot;%2&quot;, which is not safe to store. Choose another model</source>
        <translation>%1에는 안전하게 저장할 수 없는 이름의 파일이 있습니다: &quot;%2&quot;. 다른 모델을 선택하세요</translation>
    </message>
    <message>
        <source>%1 has two files with the name &quot;%2&quot;, of which only one can be stored. Choose another model</source>
        <translation>%1에는 같은 이름의 파일이 둘 있어 하나만 저장할 수 있습니다: &quot;%2&quot;. 다른 모델을 선택하세요</translation>
    </message>
    <message>
        <source>the files of %1 take %2, and Quire downloads at most %3. Choose another model</source>
        <translation>%1의 파일은 모두 %2입니다. Quire는 %3까지만 다운로드합니다. 다른 모델을 선택하세요</translation>
    </message>
    <message>
        <source>%1 has %2 files, and Quire downloads at most %3. Choose another model</source>
        <translation>%1의 파일은 %2개입니다. Quire는 %3개까지만 다운로드합니다. 다른 모델을 선택하세요</translation>
    </message>
    <message>
        <source>%1: the file %2 is empty. Choose another model</source>
        <translation>%1: 파일 %2의 내용이 비어 있습니다. 다른 모델을 선택하세요</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2. What was downloaded is kept; free some space, then try again</source>
        <translation>%1에 쓸 수 없습니다: %2. 받은 부분은 남아 있습니다. 공간을 확보한 뒤 다시 시도하세요</translation>
    </message>
    <message>
        <source>%1 could not prove its identity, so nothing was sent: %2. Check the date of this computer, and its network</source>
        <translation>서버 %1에서 신원을 증명하지 못해 아무것도 보내지 않았습니다: %2. 이 컴퓨터의 날짜와 네트워크를 확인하세요</translation>
    </message>
    <message>
        <source>what %1 sent is not a response of HTTP. Check the address</source>
        <translation>서버 %1에서 온 것은 HTTP 응답이 아닙니다. 주소를 확인하세요</translation>
    </message>
    <message>
        <source>%1 cannot be reached: %2. Check the connection, then try again</source>
        <translation>%1에 연결할 수 없습니다: %2. 연결을 확인한 뒤 다시 시도하세요</translation>
    </message>
    <message>
        <source>%1 does not respond. Check the connection, then try again</source>
        <translation>서버 %1에서 응답이 없습니다. 연결을 확인한 뒤 다시 시도하세요</translation>
    </message>
    <message>
        <source>the connection to %1 broke. Try again</source>
        <translation>%1 서버와의 연결이 끊어졌습니다. 다시 시도하세요</translation>
    </message>
    <message>
        <source>%1 does not give %2 to everybody, or there is no such model. Look at %3, give your consent there if it asks for it, and enter the token of that account</source>
        <translation>서버 %1에 모델이 없거나 아무나 받을 수 없습니다: %2. %3 페이지에서 필요하면 동의한 뒤, 그 계정의 토큰을 입력하세요</translation>
    </message>
    <message>
        <source>%1 does not have %2. Check the name</source>
        <translation>서버 %1에 없습니다: %2. 이름을 확인하세요</translation>
    </message>
    <message>
        <source>%1 is too busy, or failed (error %2). Try again later</source>
        <translation>서버 %1에서 요청이 너무 많거나 오류가 났습니다(오류 %2). 나중에 다시 시도하세요</translation>
    </message>
    <message>
        <source>%1 did not give %2 (error %3)</source>
        <translation>서버 %1에서 받지 못했습니다: %2 (오류 %3)</translation>
    </message>
    <message>
        <source>%1 redirects to %2, where Quire does not go: only to https, or to the same host. Check the address</source>
        <translation>서버 %1에서 다른 주소로 보냅니다: %2. Quire는 https 주소나 같은 호스트로만 연결합니다. 주소를 확인하세요</translation>
    </message>
    <message>
        <source>%1 redirects without end. Try again later</source>
        <translation>서버 %1에서 끝없이 다른 주소로 보냅니다. 나중에 다시 시도하세요</translation>
    </message>
    <message>
        <source>%1 sent compressed data, which was not asked for. Check the address, and whether a proxy is in between</source>
        <translation>서버 %1에서 요청하지 않은 압축 데이터를 보냈습니다. 주소와 중간의 프록시를 확인하세요</translation>
    </message>
    <message>
        <source>the answer of %1 cannot be used: %2. Check the address, or try again later</source>
        <translation>%1의 응답을 사용할 수 없습니다: %2. 주소를 확인하거나 나중에 다시 시도하세요</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not the name of a model. Names are org/repo, org/repo:Q4_K_M, or qwen3:8b for Ollama&apos;s registry</source>
        <translation>모델 이름이 아닙니다: &quot;%1&quot;. org/repo, org/repo:Q4_K_M, 또는 Ollama 레지스트리의 qwen3:8b처럼 쓰세요</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not the address of a hub. Give one such as https://huggingface.co</source>
        <translation>허브 주소가 아닙니다: &quot;%1&quot;. https://huggingface.co 같은 주소를 쓰세요</translation>
    </message>
    <message>
        <source>%1 has several files: %2. Choose one of them</source>
        <translation>%1에 파일이 여러 개 있습니다: %2. 하나를 선택하세요</translation>
    </message>
    <message>
        <source>%1 has neither a GGUF file nor a complete folder of safetensors. Choose another model, such as one whose name ends with GGUF</source>
        <translation>%1에는 GGUF 파일도 완전한 safetensors 폴더도 없습니다. 이름이 GGUF로 끝나는 것 같은 다른 모델을 선택하세요</translation>
    </message>
    <message>
        <source>%1 has no &quot;%2&quot;. It has %3</source>
        <translation>%1에 없습니다: &quot;%2&quot;. 있는 것: %3</translation>
    </message>
    <message>
        <source>%1 has no projector of images (mmproj)</source>
        <translation>%1에 이미지 프로젝터(mmproj)가 없습니다</translation>
    </message>
    <message>
        <source>Ollama&apos;s registry cannot be searched for &quot;%1&quot;. Look for its name on https://ollama.com/search</source>
        <translation>Ollama 레지스트리에서는 검색할 수 없습니다: &quot;%1&quot;. https://ollama.com/search에서 이름을 찾으세요</translation>
    </message>
    <message>
        <source>Stopped. What was downloaded is kept: the same command goes on from there</source>
        <translation>멈췄습니다. 받은 부분은 남아 있으며, 같은 명령으로 이어서 받습니다</translation>
    </message>
    <message>
        <source>there is no home folder for models. Choose a folder</source>
        <translation>모델을 둘 홈 폴더가 없습니다. 폴더를 선택하세요</translation>
    </message>
    <message>
        <source>The NVIDIA driver is too old: it supports CUDA %1, and Quire needs CUDA %2. Update the driver.</source>
        <translation>NVIDIA 드라이버가 오래되었습니다. CUDA %1까지 지원하지만 CUDA %2 버전이 필요합니다. 드라이버를 업데이트하세요.</translation>
    </message>
    <message>
        <source>The NVIDIA driver does not work: %1.</source>
        <translation>NVIDIA 드라이버가 작동하지 않습니다: %1.</translation>
    </message>
    <message>
        <source>The driver does not describe it: %1.</source>
        <translation>드라이버에서 장치 정보를 읽을 수 없습니다: %1.</translation>
    </message>
    <message>
        <source>%1 is too old: its compute capability is %2, and Quire needs %3 (GeForce RTX 20, 2018) or later.</source>
        <translation>%1 장치는 지원하지 않는 구형입니다. Compute capability가 %2인데 %3 이상(2018년 GeForce RTX 20)이 필요합니다.</translation>
    </message>
    <message>
        <source>This installation of Quire has no CUDA backend (%1), so NVIDIA GPUs cannot be used.</source>
        <translation>설치된 Quire에 CUDA 백엔드(%1)가 없어 NVIDIA GPU를 사용할 수 없습니다.</translation>
    </message>
    <message>
        <source>The CUDA backend cannot be loaded: %1. Install Quire anew, or unset QUIRE_CUDA_LIBRARY if it is set.</source>
        <translation>CUDA 백엔드를 불러올 수 없습니다: %1. Quire를 다시 설치하거나 QUIRE_CUDA_LIBRARY 변수를 해제하세요.</translation>
    </message>
    <message>
        <source>The CUDA backend %1 belongs to another version of Quire. Install both from one package.</source>
        <translation>CUDA 백엔드 %1 파일은 Quire의 다른 버전에 속합니다. 같은 패키지로 함께 설치하세요.</translation>
    </message>
    <message>
        <source>%1 needs %2 more, and the disk of %3 has only %4 to spare beside %5 that stay free. Free some space, or choose another folder</source>
        <translation>%1: %2 더 필요하지만, %3 폴더가 있는 디스크는 항상 남겨 두는 %5 외에 %4만 쓸 수 있습니다. 공간을 비우거나 다른 폴더를 선택하세요</translation>
    </message>
    <message>
        <source>%1 cannot be written, because the disk is full. What was downloaded is kept; free some space, then try again</source>
        <translation>디스크가 가득 차서 %1에 쓸 수 없습니다. 받은 부분은 남아 있습니다. 공간을 확보한 뒤 다시 시도하세요</translation>
    </message>
    <message>
        <source>%1 did not accept the token for %2: it is wrong or has expired. Make a new one in the settings of your account there, and enter it</source>
        <translation>서버 %1에서 토큰을 받아들이지 않았습니다(%2). 토큰이 틀렸거나 만료되었습니다. 그곳의 계정 설정에서 새로 만들어 입력하세요</translation>
    </message>
    <message>
        <source>%1 does not give %2 to the account of your token. Look at %3 and give your consent there, or enter the token of another account</source>
        <translation>서버 %1에서 이 토큰의 계정에는 제공하지 않습니다: %2. %3 페이지에서 동의하거나 다른 계정의 토큰을 입력하세요</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>중단되었습니다</translation>
    </message>
</context>
<context>
    <name>quire::FileDialogs</name>
    <message>
        <source>Files cannot be chosen here: install the package qml6-module-qt-labs-folderlistmodel and start Quire again.</source>
        <translation>파일을 선택할 수 없습니다. qml6-module-qt-labs-folderlistmodel 패키지를 설치한 뒤 Quire를 다시 시작하세요.</translation>
    </message>
</context>
<context>
    <name>quire::FirstRun</name>
    <message>
        <source>Talk to two at once</source>
        <translation>2개와 동시에 대화</translation>
    </message>
    <message>
        <source>Talk to three at once</source>
        <translation>3개와 동시에 대화</translation>
    </message>
    <message>
        <source>Talk to four at once</source>
        <translation>4개와 동시에 대화</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>모델 선택</translation>
    </message>
    <message>
        <source>Choose two to four personas</source>
        <translation>페르소나를 2~4개 선택하세요</translation>
    </message>
    <message>
        <source>Models from LM Studio, Ollama, GPT4All and Jan are found automatically.</source>
        <translation>LM Studio, Ollama, GPT4All, Jan의 모델은 자동으로 찾습니다.</translation>
    </message>
    <message numerus="yes">
        <source>%n model(s) found on this computer.</source>
        <translation>
            <numerusform>이 컴퓨터에서 모델 %n개를 찾았습니다.</numerusform>
        </translation>
    </message>
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
        <translation>과일 다섯 가지를 나열해 주세요</translation>
    </message>
    <message>
        <source>Start with %1</source>
        <translation>%1 모델로 시작</translation>
    </message>
    <message>
        <source>Start with the demo model</source>
        <translation>데모 모델로 시작</translation>
    </message>
</context>
<context>
    <name>quire::FooterTextTexts</name>
    <message>
        <source>%1 tok/s</source>
        <translation>%1 토큰/초</translation>
    </message>
    <message>
        <source>Forked: %1 of %2 tokens reused</source>
        <translation>분기됨: %2토큰 중 %1토큰 재사용</translation>
    </message>
    <message>
        <source>%1 of %2 from cache</source>
        <translation>캐시 %1 / %2</translation>
    </message>
    <message>
        <source>%1 (%2 from disk)</source>
        <translation>%1 (디스크 %2)</translation>
    </message>
    <message>
        <source>about %1 tokens · %2 to compute</source>
        <translation>약 %1토큰 · 새로 계산: %2토큰</translation>
    </message>
    <message>
        <source>The chat changed from token %1 on.</source>
        <translation>토큰 %1부터 대화가 바뀌었습니다.</translation>
    </message>
    <message>
        <source>The persona changed, so the whole chat was processed again.</source>
        <translation>페르소나가 바뀌어 대화 전체를 다시 처리했습니다.</translation>
    </message>
    <message>
        <source>Older messages were left out, so the rest was processed again once.</source>
        <translation>오래된 메시지를 제외하면서 나머지를 한 번 다시 처리했습니다.</translation>
    </message>
    <message>
        <source>Message %1 changed, so it and the messages after it were processed again.</source>
        <translation>%1번 메시지부터 내용이 바뀌어 그 뒤를 다시 처리했습니다.</translation>
    </message>
    <message>
        <source>Other chats needed the memory, so the rest was processed again.</source>
        <translation>다른 대화에 메모리가 필요해 나머지를 다시 처리했습니다.</translation>
    </message>
    <message>
        <source>This model had saved no state after that point, so the rest was processed again.</source>
        <translation>이 모델은 그 지점 이후의 상태를 저장해 두지 않아 나머지를 다시 처리했습니다.</translation>
    </message>
    <message>
        <source>%1 tokens, none from cache</source>
        <translation>%1토큰, 캐시 사용 없음</translation>
    </message>
    <message>
        <source>The prompt had %1 tokens. None were in the cache, so all were processed.</source>
        <translation>프롬프트 %1토큰을 모두 새로 계산했습니다.</translation>
    </message>
    <message>
        <source>The prompt had %1 tokens: %2 from cache, %3 processed.</source>
        <translation>프롬프트 %1토큰 중 %2토큰은 재사용하고 %3토큰을 새로 계산했습니다.</translation>
    </message>
    <message>
        <source>Of the cached tokens, %1 came from disk.</source>
        <translation>재사용한 토큰 중 %1토큰은 디스크에서 읽었습니다.</translation>
    </message>
    <message numerus="yes">
        <source>%n oldest message(s) left out</source>
        <translation>
            <numerusform>오래된 메시지 %n개 제외됨</numerusform>
        </translation>
    </message>
    <message>
        <source>The chat is longer than the model&apos;s context. The oldest messages stay in the chat, but this answer was written without them.</source>
        <translation>대화가 모델의 컨텍스트보다 깁니다. 가장 오래된 메시지는 대화에 남아 있지만 이 답변에 반영되지 않았습니다.</translation>
    </message>
    <message>
        <source>Correct guesses of the next words: %1 of %2.</source>
        <translation>다음 단어 예측 %2개 중 %1개가 맞았습니다.</translation>
    </message>
    <message>
        <source>Each saved one of the %1 steps that this answer would have taken.</source>
        <translation>맞은 예측 하나마다 이 답변에 필요한 %1단계 중 하나가 줄었습니다.</translation>
    </message>
</context>
<context>
    <name>quire::FreedesktopNotifications</name>
    <message>
        <source>Open</source>
        <translation>열기</translation>
    </message>
</context>
<context>
    <name>quire::GenerationEditor</name>
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
        <source>Above 2 the words are almost random.</source>
        <translation>2를 넘으면 단어가 거의 무작위로 선택됩니다.</translation>
    </message>
    <message>
        <source>Nothing changed</source>
        <translation>변경 없음</translation>
    </message>
    <message numerus="yes">
        <source>%n changed</source>
        <translation>
            <numerusform>%n개 변경됨</numerusform>
        </translation>
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
        <translation>반복 페널티</translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation>등장 페널티</translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation>빈도 페널티</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>시드</translation>
    </message>
    <message>
        <source>Stop strings</source>
        <translation>중지 문자열</translation>
    </message>
    <message>
        <source>Show reasoning</source>
        <translation>추론 표시</translation>
    </message>
    <message>
        <source>The same seed gives the same answer to the same chat.</source>
        <translation>같은 대화에 같은 시드를 쓰면 답변이 같습니다.</translation>
    </message>
    <message>
        <source>What a model thinks before it answers, as a block that can be opened.</source>
        <translation>모델이 답변하기 전의 추론을 펼쳐 볼 수 있는 블록으로 표시합니다.</translation>
    </message>
    <message>
        <source>Temperature is a number from 0 to 100; most use 0 to 1.5.</source>
        <translation>온도는 0에서 100 사이의 수입니다. 보통 0~1.5를 씁니다.</translation>
    </message>
    <message>
        <source>The presence penalty is a number from -100 to 100; 0 is none.</source>
        <translation>등장 페널티는 -100에서 100 사이의 수입니다. 0이면 적용하지 않습니다.</translation>
    </message>
    <message>
        <source>The frequency penalty is a number from -100 to 100; 0 is none.</source>
        <translation>빈도 페널티는 -100에서 100 사이의 수입니다. 0이면 적용하지 않습니다.</translation>
    </message>
    <message>
        <source>The seed is a whole number, 0 or more; leave it empty for a new one each time.</source>
        <translation>시드는 0 이상의 정수입니다. 비워 두면 매번 새로운 시드를 사용합니다.</translation>
    </message>
    <message>
        <source>This is either on or off.</source>
        <translation>켬 또는 끔만 선택할 수 있습니다.</translation>
    </message>
    <message>
        <source>new each time</source>
        <translation>매번 새로 생성</translation>
    </message>
    <message>
        <source>Low picks the most likely words, high allows more variety; 0 always gives the same answer.</source>
        <translation>낮으면 확률이 높은 단어를, 높으면 더 다양한 단어를 고릅니다. 0이면 항상 같은 답변이 나옵니다.</translation>
    </message>
    <message>
        <source>Consider only the most likely tokens that together reach this probability.</source>
        <translation>확률의 합이 이 값이 될 때까지 확률이 높은 토큰만 고려합니다.</translation>
    </message>
    <message>
        <source>Top p is a number above 0, up to 1; 1 considers all tokens.</source>
        <translation>Top p는 0보다 크고 1 이하인 수입니다. 1이면 모든 토큰을 고려합니다.</translation>
    </message>
    <message>
        <source>Consider only the k most likely tokens; 0 considers all.</source>
        <translation>확률이 가장 높은 토큰 k개만 고려합니다. 0이면 모두 고려합니다.</translation>
    </message>
    <message>
        <source>Top k is a whole number, 0 or more; 0 considers all tokens.</source>
        <translation>Top k는 0 이상의 정수입니다. 0이면 모든 토큰을 고려합니다.</translation>
    </message>
    <message>
        <source>Leave out tokens less likely than this fraction of the most likely one.</source>
        <translation>가장 확률이 높은 토큰에 비해 이 비율보다 낮은 토큰을 제외합니다.</translation>
    </message>
    <message>
        <source>Min p is a number from 0 to 1; 0 considers all tokens.</source>
        <translation>Min p는 0에서 1 사이의 수입니다. 0이면 모든 토큰을 고려합니다.</translation>
    </message>
    <message>
        <source>Maximum answer length</source>
        <translation>최대 답변 길이</translation>
    </message>
    <message>
        <source>The answer stops after this many tokens, even mid-sentence.</source>
        <translation>문장 중간이라도 이 길이에서 멈춥니다.</translation>
    </message>
    <message>
        <source>The maximum answer length is a whole number of tokens, 1 or more.</source>
        <translation>최대 답변 길이는 1 이상의 정수(토큰 수)입니다.</translation>
    </message>
    <message>
        <source>Above 1, tokens that occurred already become less likely.</source>
        <translation>1보다 크면 이미 나온 토큰의 확률이 낮아집니다.</translation>
    </message>
    <message>
        <source>The repetition penalty is a number above 0, up to 100; 1 is none.</source>
        <translation>반복 페널티는 0보다 크고 100 이하인 수입니다. 1이면 적용하지 않습니다.</translation>
    </message>
    <message>
        <source>Makes each token that is in the answer already less likely, once.</source>
        <translation>답변에 이미 나온 토큰의 확률을 한 번 낮춥니다.</translation>
    </message>
    <message>
        <source>Makes each token less likely every time that the answer repeats it.</source>
        <translation>답변에 나온 횟수만큼 토큰의 확률을 낮춥니다.</translation>
    </message>
    <message>
        <source>The answer ends before any of these. Separate with |, write \n for a new line.</source>
        <translation>이 문자열이 나오기 직전에 답변을 끝냅니다. |로 구분하고 줄 바꿈은 \n으로 입력합니다.</translation>
    </message>
    <message>
        <source>There can be up to 64 stop strings.</source>
        <translation>중지 문자열은 64개까지 지정할 수 있습니다.</translation>
    </message>
</context>
<context>
    <name>quire::GetLabels</name>
    <message>
        <source>%1 of %2</source>
        <translation>%2 중 %1</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/초</translation>
    </message>
    <message>
        <source>%1 in %2 files</source>
        <translation>%1, 파일 %2개</translation>
    </message>
    <message>
        <source>Fits the GPU</source>
        <translation>GPU에 맞음</translation>
    </message>
    <message>
        <source>Fits memory</source>
        <translation>메모리에 맞음</translation>
    </message>
    <message>
        <source>Fits memory and GPU together</source>
        <translation>메모리와 GPU를 합치면 맞음</translation>
    </message>
    <message>
        <source>Too large for this computer</source>
        <translation>이 컴퓨터에는 너무 큼</translation>
    </message>
    <message>
        <source>about %1 tokens/s on the CPU</source>
        <translation>CPU에서 초당 약 %1토큰</translation>
    </message>
    <message>
        <source>Licence not stated</source>
        <translation>라이선스 정보 없음</translation>
    </message>
    <message>
        <source>Licence: %1</source>
        <translation>라이선스: %1</translation>
    </message>
    <message numerus="yes">
        <source>%Ln download(s)</source>
        <translation>
            <numerusform>다운로드 %Ln회</numerusform>
        </translation>
    </message>
    <message>
        <source>asks for consent</source>
        <translation>동의 필요</translation>
    </message>
    <message>
        <source>Waiting for its turn</source>
        <translation>순서를 기다리는 중</translation>
    </message>
    <message>
        <source>Checking what is on the disk</source>
        <translation>디스크의 파일을 확인하는 중</translation>
    </message>
    <message>
        <source>Trying again in %1 s</source>
        <translation>%1초 뒤에 다시 시도</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>일시 정지됨</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>중지됨</translation>
    </message>
    <message>
        <source>Was there already, and is verified</source>
        <translation>이미 있으며 검증했습니다</translation>
    </message>
    <message>
        <source>Downloaded and verified</source>
        <translation>다운로드하고 검증했습니다</translation>
    </message>
    <message>
        <source>%1 hours left</source>
        <translation>%1시간 남음</translation>
    </message>
    <message>
        <source>Asking %1…</source>
        <translation>%1에 문의하는 중…</translation>
    </message>
</context>
<context>
    <name>quire::GetModels</name>
    <message>
        <source>Nothing was found. Try fewer or other words.</source>
        <translation>찾은 모델이 없습니다. 단어를 줄이거나 바꿔 보세요.</translation>
    </message>
    <message>
        <source>This model has neither a GGUF file nor a complete folder of safetensors. Choose another one, such as one whose name ends with GGUF.</source>
        <translation>이 모델에는 GGUF 파일도, 온전한 safetensors 폴더도 없습니다. 이름이 GGUF로 끝나는 모델처럼 다른 모델을 선택하세요.</translation>
    </message>
    <message>
        <source>The token is kept in the system&apos;s keychain.</source>
        <translation>토큰을 시스템 키체인에 보관합니다.</translation>
    </message>
    <message>
        <source>No keychain can be reached, so the token is remembered only until Quire ends. (%1)</source>
        <translation>키체인에 연결할 수 없어 토큰을 Quire가 끝날 때까지만 기억합니다. (%1)</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>제한 없음</translation>
    </message>
    <message>
        <source>%1 a second</source>
        <translation>초당 %1</translation>
    </message>
    <message>
        <source>There is no such folder.</source>
        <translation>그런 폴더가 없습니다.</translation>
    </message>
    <message>
        <source>You may not write to this folder. Choose another one.</source>
        <translation>이 폴더에 쓸 수 없습니다. 다른 폴더를 선택하세요.</translation>
    </message>
    <message>
        <source>Type the whole path, such as ~/models.</source>
        <translation>~/models처럼 전체 경로를 입력하세요.</translation>
    </message>
    <message>
        <source>Asking the system&apos;s keychain to keep the token…</source>
        <translation>시스템 키체인에 토큰을 저장하는 중…</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
</context>
<context>
    <name>quire::HubCacheTexts</name>
    <message>
        <source>The Hugging Face libraries keep it in their cache, where several versions share files. Remove it with: %1</source>
        <translation>Hugging Face 라이브러리의 캐시에 있는 모델이며, 여러 버전이 파일을 함께 씁니다. 다음 명령으로 제거하세요: %1</translation>
    </message>
</context>
<context>
    <name>quire::HubLink</name>
    <message>
        <source>The model is not known any more. Search for it again.</source>
        <translation>모델 정보가 더 이상 없습니다. 다시 검색하세요.</translation>
    </message>
</context>
<context>
    <name>quire::ImportOffer</name>
    <message>
        <source>“%1” was not exported by Quire, so there is nothing to import.</source>
        <translation>“%1” 파일은 Quire에서 내보낸 파일이 아니어서 가져올 대화가 없습니다.</translation>
    </message>
    <message>
        <source>Import the chats in “%1”?</source>
        <translation>“%1” 파일의 대화를 가져올까요?</translation>
    </message>
</context>
<context>
    <name>quire::KeychainStore</name>
    <message>
        <source>The system&apos;s keychain cannot be read: %1</source>
        <translation>시스템 키체인을 읽을 수 없습니다: %1</translation>
    </message>
</context>
<context>
    <name>quire::LoadPlanningTexts</name>
    <message>
        <source>The device &quot;%1&quot; is not there. Choose another.</source>
        <translation>&quot;%1&quot; 장치가 없습니다. 다른 장치를 선택하세요.</translation>
    </message>
    <message>
        <source>Other models are answering: wait until they are done, or unload one.</source>
        <translation>다른 모델이 답변 중입니다. 끝날 때까지 기다리거나 하나를 메모리에서 해제하세요.</translation>
    </message>
    <message>
        <source>Close other programs, or choose a smaller model or context.</source>
        <translation>다른 프로그램을 닫거나 더 작은 모델이나 컨텍스트를 선택하세요.</translation>
    </message>
    <message>
        <source>The model needs %1 of memory, and %2 are free. %3</source>
        <translation>모델에 메모리 %1가 필요하지만 %2가 남아 있습니다. %3</translation>
    </message>
    <message>
        <source>Threads, context length and prompt batch size must be 0 or more.</source>
        <translation>스레드, 컨텍스트 길이, 프롬프트 배치 크기는 0 이상이어야 합니다.</translation>
    </message>
    <message>
        <source>Keys and values cannot be kept in &quot;%1&quot;.</source>
        <translation>KV 캐시는 &quot;%1&quot; 형식을 지원하지 않습니다.</translation>
    </message>
    <message>
        <source>There is not enough memory to look into the model&apos;s file.</source>
        <translation>모델 파일을 읽을 메모리가 부족합니다.</translation>
    </message>
    <message>
        <source>There is not enough memory for it.</source>
        <translation>초안 모델을 불러올 메모리가 부족합니다.</translation>
    </message>
    <message>
        <source>A GPU computes the next token in advance instead of guessing.</source>
        <translation>GPU에서는 추측하는 대신 다음 토큰을 미리 계산합니다.</translation>
    </message>
</context>
<context>
    <name>quire::MachineBench</name>
    <message>
        <source>The model was changed meanwhile. Measure again.</source>
        <translation>그 사이 모델이 바뀌었습니다. 다시 측정하세요.</translation>
    </message>
    <message>
        <source>Load a model first.</source>
        <translation>먼저 모델을 불러오세요.</translation>
    </message>
    <message>
        <source>Chats are being answered. Measure when they are finished.</source>
        <translation>답변을 생성하는 대화가 있습니다. 끝난 뒤에 측정하세요.</translation>
    </message>
    <message>
        <source>The model could not be measured.</source>
        <translation>모델을 측정하지 못했습니다.</translation>
    </message>
    <message>
        <source>Stopped, because a chat began. Measure again when it is answered.</source>
        <translation>대화가 시작되어 중지했습니다. 답변이 끝난 뒤 다시 측정하세요.</translation>
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
        <translation>KV 캐시 %1</translation>
    </message>
    <message>
        <source>workspace %1</source>
        <translation>연산 버퍼 %1</translation>
    </message>
    <message>
        <source>Loads in place of %1</source>
        <translation>%1 모델을 대신해 불러옵니다</translation>
    </message>
    <message>
        <source>Loads beside %1</source>
        <translation>%1 모델과 함께 불러옵니다</translation>
    </message>
</context>
<context>
    <name>quire::ModelCacheTexts</name>
    <message>
        <source>Ollama&apos;s record of %1 cannot be read. Pull the model again.</source>
        <translation>Ollama의 %1 매니페스트를 읽을 수 없습니다. 모델을 다시 받으세요.</translation>
    </message>
    <message>
        <source>The file of %1 is missing. Pull the model again with Ollama.</source>
        <translation>%1 모델의 파일이 없습니다. Ollama로 모델을 다시 받으세요.</translation>
    </message>
    <message>
        <source>Ollama adds an adapter to it, which Quire leaves out.</source>
        <translation>Ollama가 추가하는 어댑터는 Quire에서 사용하지 않습니다.</translation>
    </message>
</context>
<context>
    <name>quire::ModelCard</name>
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
        <source>takes %1</source>
        <translation>%1 사용</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 토큰/초</translation>
    </message>
    <message>
        <source>Demo: limited and often wrong</source>
        <translation>데모: 기능이 제한적이고 자주 틀림</translation>
    </message>
    <message>
        <source>Unloaded to free its memory. It is loaded again when a chat needs it.</source>
        <translation>메모리를 확보하기 위해 해제했습니다. 대화에 필요하면 다시 불러옵니다.</translation>
    </message>
    <message>
        <source>Ready, waiting for running answers to finish</source>
        <translation>준비됨, 생성 중인 답변을 기다리는 중</translation>
    </message>
    <message>
        <source>%1 · %2%</source>
        <translation>%1 · %2%</translation>
    </message>
    <message>
        <source>draft model %1</source>
        <translation>초안 모델 %1</translation>
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
        <translation>%1~%2: %3</translation>
    </message>
    <message>
        <source>Its layers are spread: %1.</source>
        <translation>레이어 분산: %1.</translation>
    </message>
    <message>
        <source>The draft model is not used: %1</source>
        <translation>초안 모델을 사용하지 않습니다: %1</translation>
    </message>
</context>
<context>
    <name>quire::ModelFileTexts</name>
    <message>
        <source>Its folder holds too many files. Use the file manager.</source>
        <translation>폴더에 파일이 너무 많습니다. 파일 관리자를 사용하세요.</translation>
    </message>
    <message>
        <source>You may not change the folder %1.</source>
        <translation>폴더를 변경할 권한이 없습니다: %1</translation>
    </message>
    <message>
        <source>Its files are not there any more. Scan again.</source>
        <translation>파일이 더 이상 없습니다. 다시 검색하세요.</translation>
    </message>
    <message>
        <source>Its folder is a link: the files are in %1. Add that folder, then try again there.</source>
        <translation>링크로 연결된 모델입니다. 실제 파일의 위치: %1. 그 폴더를 추가한 뒤 거기에서 다시 시도하세요.</translation>
    </message>
    <message>
        <source>%1 is a link to %2. Quire deletes and moves no links.</source>
        <translation>링크 파일: %1 → %2. Quire는 링크를 삭제하거나 옮기지 않습니다.</translation>
    </message>
</context>
<context>
    <name>quire::ModelLabels</name>
    <message>
        <source>%1 billion parameters</source>
        <translation>파라미터 %1B</translation>
    </message>
    <message>
        <source>%1 million parameters</source>
        <translation>파라미터 %1M</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>파라미터 %1개</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1토큰</translation>
    </message>
    <message>
        <source>%1 threads</source>
        <translation>스레드 %1개</translation>
    </message>
    <message numerus="yes">
        <source>%n second(s) left</source>
        <translation>
            <numerusform>%n초 남음</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s) left</source>
        <translation>
            <numerusform>%n분 남음</numerusform>
        </translation>
    </message>
    <message>
        <source>Waiting for another load</source>
        <translation>다른 모델을 불러오는 동안 대기 중</translation>
    </message>
    <message>
        <source>Reading the file&apos;s header</source>
        <translation>파일 헤더 읽는 중</translation>
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
        <source>Preparing the weights</source>
        <translation>가중치 준비 중</translation>
    </message>
    <message>
        <source>Allocating memory for chats</source>
        <translation>대화용 메모리 할당 중</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>불러오는 중</translation>
    </message>
    <message>
        <source>%1-token context</source>
        <translation>컨텍스트 %1토큰</translation>
    </message>
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
    <name>quire::ModelLibrary</name>
    <message>
        <source>%1 · %2 on disk</source>
        <translation>%1 · 디스크 %2</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>외 %1개</translation>
    </message>
    <message>
        <source>Add its folder</source>
        <translation>폴더 추가</translation>
    </message>
    <message>
        <source>Loading %1 from its current folder.</source>
        <translation>현재 위치에서 불러오는 중: %1</translation>
    </message>
    <message>
        <source>%1 is a folder, not a model. Add it to list the models inside.</source>
        <translation>%1 항목은 모델이 아니라 폴더입니다. 안에 있는 모델을 보려면 폴더를 추가하세요.</translation>
    </message>
    <message numerus="yes">
        <source>%n model(s)</source>
        <translation>
            <numerusform>모델 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 so far, scanning…</source>
        <translation>지금까지 %1, 검색 중…</translation>
    </message>
    <message>
        <source>%1 · a folder was too large to scan completely</source>
        <translation>%1 · 너무 큰 폴더가 있어 끝까지 검색하지 못함</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) skipped</source>
        <translation>
            <numerusform>파일 %n개 건너뜀</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n model(s) removed from this list</source>
        <translation>
            <numerusform>모델 %n개를 목록에서 제거했습니다</numerusform>
        </translation>
    </message>
    <message>
        <source>There is no such folder.</source>
        <translation>그런 폴더가 없습니다.</translation>
    </message>
    <message>
        <source>%1 is loaded from its current folder.</source>
        <translation>현재 위치에서 불러왔습니다: %1</translation>
    </message>
</context>
<context>
    <name>quire::ModelLinkTexts</name>
    <message>
        <source>Quire ended while it was loading %1, so that it is not loaded automatically. The page Models loads it again.</source>
        <translation>Quire가 %1 모델을 불러오는 중에 종료되어 자동으로 불러오지 않습니다. 모델 페이지에서 다시 불러올 수 있습니다.</translation>
    </message>
    <message>
        <source>Loading %1 was interrupted, so that it is not loaded automatically. The page Models loads it again.</source>
        <translation>%1 모델을 불러오던 작업이 중단되어 자동으로 불러오지 않습니다. 모델 페이지에서 다시 불러올 수 있습니다.</translation>
    </message>
    <message>
        <source>The program quire-inspect is missing beside Quire, so that models are read without its protection. Install Quire again.</source>
        <translation>Quire와 같은 폴더에 quire-inspect 프로그램이 없어 보호 없이 모델을 읽습니다. Quire를 다시 설치하세요.</translation>
    </message>
</context>
<context>
    <name>quire::ModelMover</name>
    <message>
        <source>%1 are copied and compared with the original, which is then deleted. %2 are free there.</source>
        <translation>%1를 복사해 원본과 비교한 뒤 원본을 삭제합니다. 남은 공간은 %2입니다.</translation>
    </message>
    <message>
        <source>Stopped. The model is still at its old place.</source>
        <translation>중지했습니다. 모델은 원래 위치에 그대로 있습니다.</translation>
    </message>
    <message>
        <source>The model was copied. Its old files are deleted when Quire starts again.</source>
        <translation>모델을 복사했습니다. 이전 파일은 Quire를 다시 시작할 때 삭제합니다.</translation>
    </message>
    <message>
        <source>%1 is in %2 now.</source>
        <translation>옮긴 모델: %1. 새 위치: %2</translation>
    </message>
    <message>
        <source>Deleting the original…</source>
        <translation>원본을 삭제하는 중…</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>중지하는 중…</translation>
    </message>
    <message>
        <source>Moving %1: %2%</source>
        <translation>옮기는 중: %1, %2%</translation>
    </message>
    <message>
        <source>Move %1</source>
        <translation>%1 이동</translation>
    </message>
</context>
<context>
    <name>quire::ModelOffers</name>
    <message>
        <source>Download</source>
        <translation>다운로드</translation>
    </message>
    <message>
        <source>No recommended model fits the free memory of this computer.</source>
        <translation>이 컴퓨터의 남은 메모리에 맞는 추천 모델이 없습니다.</translation>
    </message>
    <message>
        <source>Start chatting</source>
        <translation>대화 시작</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>일시 정지</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>계속</translation>
    </message>
    <message>
        <source>Show models to download</source>
        <translation>다운로드할 모델 보기</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
</context>
<context>
    <name>quire::ModelOptions</name>
    <message>
        <source>the model&apos;s own</source>
        <translation>모델 설정</translation>
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
        <translation>남은 메모리에 따라</translation>
    </message>
    <message>
        <source>%1 MiB</source>
        <translation>%1 MiB</translation>
    </message>
    <message>
        <source>the device&apos;s own</source>
        <translation>장치 설정</translation>
    </message>
    <message>
        <source>Same as all models</source>
        <translation>모든 모델과 같게</translation>
    </message>
    <message>
        <source>None</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>%1, not found yet</source>
        <translation>%1, 아직 찾지 못함</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>자동</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>사용 안 함</translation>
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
        <translation>불러오기를 취소했습니다. 계속하려면 모델을 불러오세요.</translation>
    </message>
    <message>
        <source>The model was unloaded while this answer was being written. What there was is kept; regenerate it to have all of it.</source>
        <translation>답변을 생성하는 동안 모델이 메모리에서 해제되었습니다. 지금까지의 내용은 남아 있습니다. 전체 답변을 보려면 다시 생성하세요.</translation>
    </message>
    <message>
        <source>Another model was loaded while this answer was being written. What there was is kept; regenerate it to have all of it.</source>
        <translation>답변을 생성하는 동안 다른 모델을 불러왔습니다. 지금까지의 내용은 남아 있습니다. 전체 답변을 보려면 다시 생성하세요.</translation>
    </message>
</context>
<context>
    <name>quire::ModelQuantizer</name>
    <message>
        <source>The file will take %1; the original takes %2.</source>
        <translation>파일 크기는 %1입니다. 원본은 %2입니다.</translation>
    </message>
    <message>
        <source>This model is quantised already. The original in 16 bits would give better results.</source>
        <translation>이미 양자화된 모델입니다. 16비트 원본을 쓰면 결과가 더 좋습니다.</translation>
    </message>
    <message>
        <source>There is no such file.</source>
        <translation>그런 파일이 없습니다.</translation>
    </message>
    <message>
        <source>There is no such folder.</source>
        <translation>그런 폴더가 없습니다.</translation>
    </message>
    <message>
        <source>You may not write to this folder. Choose another one.</source>
        <translation>이 폴더에는 쓸 수 없습니다. 다른 폴더를 선택하세요.</translation>
    </message>
    <message>
        <source>Give the file a name.</source>
        <translation>파일 이름을 입력하세요.</translation>
    </message>
    <message>
        <source>The name of a file cannot contain a slash.</source>
        <translation>파일 이름에는 빗금(/)을 쓸 수 없습니다.</translation>
    </message>
    <message>
        <source>This file exists, and it is not overwritten. Choose another name.</source>
        <translation>이미 있는 파일이며 덮어쓰지 않습니다. 다른 이름을 선택하세요.</translation>
    </message>
    <message>
        <source>Predicts a text with both models, and shows how far they differ. Needs about %1 of memory while it runs.</source>
        <translation>두 모델로 같은 텍스트를 예측해 얼마나 다른지 보여 줍니다. 그동안 메모리가 약 %1 필요합니다.</translation>
    </message>
    <message>
        <source>Stopped. What is written so far is kept; Resume continues it.</source>
        <translation>중지했습니다. 지금까지 쓴 내용은 남아 있으며, ‘이어서 하기’로 계속할 수 있습니다.</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>중지하는 중…</translation>
    </message>
    <message>
        <source>%1 to %2: %3</source>
        <translation>%1 → %2: %3</translation>
    </message>
    <message>
        <source>%1 is written. Its size is %2.</source>
        <translation>%1 파일을 만들었습니다. 크기는 %2입니다.</translation>
    </message>
    <message>
        <source>Quantising %1 to %2 was interrupted. What is written so far is kept.</source>
        <translation>%1 모델의 %2 양자화가 중단되었습니다. 지금까지 쓴 내용은 보관됩니다.</translation>
    </message>
</context>
<context>
    <name>quire::ModelRemoval</name>
    <message>
        <source>Delete %1?</source>
        <translation>%1 모델을 삭제할까요?</translation>
    </message>
    <message>
        <source>Reading the folder…</source>
        <translation>폴더를 읽는 중…</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation>
            <numerusform>파일 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 · frees %2, because the disk holds a file under another name too</source>
        <translation>%1 · %2 확보. 같은 파일이 디스크에 다른 이름으로도 있습니다</translation>
    </message>
    <message>
        <source>%1 · frees %2</source>
        <translation>%1 · %2 확보</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>외 %1개</translation>
    </message>
    <message>
        <source>It belongs to %1, which will lose it too.</source>
        <translation>%1의 모델입니다. 삭제하면 그 앱에서도 사라집니다.</translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>‘%1’</translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) always use it</source>
        <translation>
            <numerusform>이 모델만 쓰는 대화 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2 and others.</source>
        <translation>%1: %2 등.</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1: %2.</translation>
    </message>
    <message>
        <source>%1 They keep their messages, and need another model to continue.</source>
        <translation>%1 메시지는 그대로 남으며, 계속하려면 다른 모델이 필요합니다.</translation>
    </message>
    <message>
        <source>It is answering. Deleting it unloads it; the running answers end and keep their text.</source>
        <translation>답변을 생성하고 있습니다. 삭제하면 메모리에서 해제되고, 생성 중인 답변은 지금까지의 글을 남기고 끝납니다.</translation>
    </message>
    <message>
        <source>It is loaded. Deleting it unloads it first.</source>
        <translation>불러온 모델입니다. 삭제하기 전에 메모리에서 해제합니다.</translation>
    </message>
    <message>
        <source>The demo model comes with Quire and stays.</source>
        <translation>데모 모델은 Quire에 포함되어 있어 삭제하지 않습니다.</translation>
    </message>
    <message>
        <source>It is being loaded. Wait, or cancel the load first.</source>
        <translation>불러오는 중입니다. 기다리거나 먼저 불러오기를 취소하세요.</translation>
    </message>
    <message>
        <source>%1 is in the trash. Its disk space is free when you empty the trash.</source>
        <translation>휴지통으로 옮겼습니다: %1. 휴지통을 비우면 공간이 확보됩니다.</translation>
    </message>
    <message>
        <source>%1 is deleted. %2 are free now.</source>
        <translation>삭제했습니다: %1. 확보한 공간: %2</translation>
    </message>
</context>
<context>
    <name>quire::ModelScanner</name>
    <message>
        <source>A vision projector: it lets another model see pictures.</source>
        <translation>비전 프로젝터: 다른 모델이 이미지를 볼 수 있게 하는 파일입니다.</translation>
    </message>
    <message>
        <source>An adapter: it changes another model. Choose it in a persona.</source>
        <translation>어댑터: 다른 모델을 수정하는 파일입니다. 페르소나에서 선택하세요.</translation>
    </message>
</context>
<context>
    <name>quire::ModelSearchTexts</name>
    <message>
        <source>You may not read this folder.</source>
        <translation>이 폴더를 읽을 권한이 없습니다.</translation>
    </message>
    <message>
        <source>Its path is too long. Move it to a folder further up.</source>
        <translation>경로가 너무 깁니다. 더 위에 있는 폴더로 옮기세요.</translation>
    </message>
    <message>
        <source>Its name is not valid UTF-8. Rename it.</source>
        <translation>이름이 올바른 UTF-8이 아닙니다. 이름을 바꾸세요.</translation>
    </message>
    <message>
        <source>An adapter: it changes another model. Choose it in a persona.</source>
        <translation>어댑터: 다른 모델을 수정하는 파일입니다. 페르소나에서 선택하세요.</translation>
    </message>
</context>
<context>
    <name>quire::ModelVerifier</name>
    <message>
        <source>Verifying %1: %2%</source>
        <translation>검증하는 중: %1, %2%</translation>
    </message>
    <message>
        <source>%1 is verified: its files are as %2 published them.</source>
        <translation>검증했습니다: %1. 파일이 %2에서 게시한 것과 같습니다.</translation>
    </message>
    <message>
        <source>%1: %2 differs from what %3 published. It is damaged or was changed; download it again.</source>
        <translation>%1: %2 파일이 %3에서 게시한 것과 다릅니다. 손상되었거나 변경되었으니 다시 다운로드하세요.</translation>
    </message>
    <message>
        <source>%1: %2 cannot be read. The disk may be faulty.</source>
        <translation>%1: %2 파일을 읽을 수 없습니다. 디스크에 결함이 있을 수 있습니다.</translation>
    </message>
    <message>
        <source>No hash is known for %1. Its structure is complete: Quire read its header without errors.</source>
        <translation>%1 모델의 해시를 알 수 없습니다. 구조는 온전하며, 헤더를 오류 없이 읽었습니다.</translation>
    </message>
    <message>
        <source>No hash is known for %1, and it cannot be loaded: %2</source>
        <translation>%1 모델의 해시를 알 수 없고, 불러올 수도 없습니다: %2</translation>
    </message>
</context>
<context>
    <name>quire::MoveTexts</name>
    <message>
        <source>You may not write to this folder. Choose another one.</source>
        <translation>이 폴더에 쓸 권한이 없습니다. 다른 폴더를 선택하세요.</translation>
    </message>
    <message>
        <source>The copy of %1 differs from the original, so the disk may be faulty. The model is still at its old place.</source>
        <translation>%1 파일의 사본이 원본과 다릅니다. 디스크에 결함이 있을 수 있습니다. 모델은 원래 위치에 그대로 있습니다.</translation>
    </message>
    <message>
        <source>%1 has changed meanwhile, or cannot be read. Scan again.</source>
        <translation>그 사이 변경되었거나 읽을 수 없는 파일: %1. 다시 검색하세요.</translation>
    </message>
    <message>
        <source>%1 cannot be copied: %2. The model is still at its old place.</source>
        <translation>복사할 수 없는 파일: %1 (%2). 모델은 원래 위치에 그대로 있습니다.</translation>
    </message>
    <message>
        <source>There is no such folder.</source>
        <translation>그런 폴더가 없습니다.</translation>
    </message>
    <message>
        <source>The model is in this folder already.</source>
        <translation>모델이 이미 이 폴더에 있습니다.</translation>
    </message>
    <message>
        <source>Ollama finds its models only in its own folder. Download the model with Quire to have it elsewhere.</source>
        <translation>Ollama는 자기 폴더에 있는 모델만 찾습니다. 다른 곳에 두려면 Quire로 모델을 다운로드하세요.</translation>
    </message>
    <message>
        <source>%1 is there already, and it is not overwritten. Choose another folder.</source>
        <translation>같은 이름이 이미 있어 덮어쓰지 않습니다: %1. 다른 폴더를 선택하세요.</translation>
    </message>
    <message>
        <source>The last step of the move failed, so nothing was moved. Check that both disks have space and can be written.</source>
        <translation>이동의 마지막 단계가 실패하여 아무것도 옮기지 않았습니다. 두 디스크에 공간이 있고 쓸 수 있는지 확인하세요.</translation>
    </message>
    <message>
        <source>The model takes %1, and %2 are free there. Free some space, or choose another folder.</source>
        <translation>모델의 크기는 %1이고 남은 공간은 %2입니다. 공간을 확보하거나 다른 폴더를 선택하세요.</translation>
    </message>
    <message>
        <source>Quire&apos;s data folder cannot be written, so nothing was moved. Free some space there.</source>
        <translation>Quire의 데이터 폴더에 쓸 수 없어 아무것도 옮기지 않았습니다. 공간을 확보하세요.</translation>
    </message>
    <message>
        <source>The model was copied, but %1 could not be deleted at the old place.</source>
        <translation>모델을 복사했지만 원래 위치에서 삭제하지 못한 파일이 있습니다: %1</translation>
    </message>
    <message>
        <source>An earlier move is not complete. Start Quire again to complete it.</source>
        <translation>이전 이동이 끝나지 않았습니다. Quire를 다시 시작하면 마무리합니다.</translation>
    </message>
</context>
<context>
    <name>quire::OfferedFiles</name>
    <message>
        <source>On this computer</source>
        <translation>이 컴퓨터에 있음</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>다운로드</translation>
    </message>
    <message>
        <source>Speeds are shown once a model has run on this computer.</source>
        <translation>이 컴퓨터에서 모델을 한 번 실행하면 속도가 표시됩니다.</translation>
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
        <source>Pause</source>
        <translation>일시 정지</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>계속</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <translation>%1: %2, %3</translation>
    </message>
</context>
<context>
    <name>quire::OllamaStoreTexts</name>
    <message numerus="yes">
        <source>%n name(s) in Ollama share this file. Remove them with: %1</source>
        <translation>
            <numerusform>Ollama의 이름 %n개가 이 파일을 함께 씁니다. 다음 명령으로 제거하세요: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Ollama&apos;s records cannot be read, so another of its models may need this file. Remove it with Ollama.</source>
        <translation>Ollama의 기록을 읽을 수 없어 다른 모델이 이 파일을 쓰는지 알 수 없습니다. Ollama에서 제거하세요.</translation>
    </message>
    <message>
        <source>Ollama&apos;s folder belongs to another user. Remove it with: %1</source>
        <translation>Ollama의 폴더는 다른 사용자의 것입니다. 다음 명령으로 제거하세요: %1</translation>
    </message>
</context>
<context>
    <name>quire::PauseControl</name>
    <message>
        <source>Pause all answers (Ctrl+Shift+P)</source>
        <translation>모든 답변 일시 정지 (Ctrl+Shift+P)</translation>
    </message>
    <message>
        <source>Resume all answers (Ctrl+Shift+P)</source>
        <translation>모든 답변 다시 시작 (Ctrl+Shift+P)</translation>
    </message>
</context>
<context>
    <name>quire::PersonaEditor</name>
    <message>
        <source>New persona</source>
        <translation>새 페르소나</translation>
    </message>
    <message>
        <source>The file is not there any more: chats of this persona will not be answered. Choose it again, or remove it.</source>
        <translation>파일이 더 이상 없어 이 페르소나의 대화에 답할 수 없습니다. 다시 선택하거나 제거하세요.</translation>
    </message>
</context>
<context>
    <name>quire::PersonaFilter</name>
    <message>
        <source>There are no personas. Make one, or begin with one of the presets.</source>
        <translation>페르소나가 없습니다. 새로 만들거나 프리셋에서 추가하세요.</translation>
    </message>
    <message>
        <source>No persona has “%1” in its name, its description or its prompt.</source>
        <translation>이름, 설명, 지시문에 “%1” 문구가 있는 페르소나가 없습니다.</translation>
    </message>
</context>
<context>
    <name>quire::PersonaLabels</name>
    <message>
        <source>Person</source>
        <translation>사람</translation>
    </message>
    <message>
        <source>Book</source>
        <translation>책</translation>
    </message>
    <message>
        <source>Pen</source>
        <translation>펜</translation>
    </message>
    <message>
        <source>Globe</source>
        <translation>지구본</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>코드</translation>
    </message>
    <message>
        <source>Scales</source>
        <translation>저울</translation>
    </message>
    <message>
        <source>List</source>
        <translation>목록</translation>
    </message>
    <message>
        <source>Microphone</source>
        <translation>마이크</translation>
    </message>
    <message>
        <source>Funnel</source>
        <translation>깔때기</translation>
    </message>
    <message>
        <source>Speech bubble</source>
        <translation>말풍선</translation>
    </message>
    <message>
        <source>Lamp</source>
        <translation>전등</translation>
    </message>
    <message>
        <source>Flask</source>
        <translation>플라스크</translation>
    </message>
    <message>
        <source>Chart</source>
        <translation>차트</translation>
    </message>
    <message>
        <source>Calendar</source>
        <translation>달력</translation>
    </message>
    <message>
        <source>Compass</source>
        <translation>나침반</translation>
    </message>
    <message>
        <source>Shield</source>
        <translation>방패</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>열쇠</translation>
    </message>
    <message>
        <source>House</source>
        <translation>집</translation>
    </message>
    <message>
        <source>Heart</source>
        <translation>하트</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>별</translation>
    </message>
    <message>
        <source>Sun</source>
        <translation>해</translation>
    </message>
    <message>
        <source>Leaf</source>
        <translation>잎</translation>
    </message>
    <message>
        <source>Music note</source>
        <translation>음표</translation>
    </message>
    <message>
        <source>Anchor</source>
        <translation>닻</translation>
    </message>
    <message numerus="yes">
        <source>%Ln token(s)</source>
        <translation>
            <numerusform>%Ln토큰</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s)</source>
        <translation>
            <numerusform>대화 %Ln개</numerusform>
        </translation>
    </message>
    <message>
        <source>Ready · %1</source>
        <translation>준비됨 · %1</translation>
    </message>
    <message>
        <source>Partly cached · %1 of %2</source>
        <translation>일부 준비됨 · %2 중 %1</translation>
    </message>
    <message>
        <source>On disk · %1</source>
        <translation>디스크에 있음 · %1</translation>
    </message>
    <message>
        <source>Not cached · %1</source>
        <translation>준비 안 됨 · %1</translation>
    </message>
    <message>
        <source>shared by %1 · saves %2</source>
        <translation>%1가 공유 · %2 절약</translation>
    </message>
    <message>
        <source>not used yet</source>
        <translation>아직 사용하지 않음</translation>
    </message>
    <message>
        <source>used by %1</source>
        <translation>%1에서 사용</translation>
    </message>
    <message>
        <source>Every chat with this persona starts with these words.</source>
        <translation>이 페르소나의 모든 대화는 이 지시문으로 시작합니다.</translation>
    </message>
    <message>
        <source>%1. They are computed once and shared by every chat with this persona.</source>
        <translation>%1. 한 번만 계산해 이 페르소나의 모든 대화가 공유합니다.</translation>
    </message>
    <message>
        <source>They take under 1% of the context.</source>
        <translation>컨텍스트의 1% 미만입니다.</translation>
    </message>
    <message>
        <source>They take %1% of the context.</source>
        <translation>컨텍스트의 %1%를 차지합니다.</translation>
    </message>
    <message>
        <source>Used by %1. %2 of this prompt will be computed once for all of them, and each chat&apos;s messages when it continues.</source>
        <translation>%1에서 사용합니다. 지시문의 %2은 한 번만 계산하고, 각 대화의 메시지는 이어 갈 때 계산합니다.</translation>
    </message>
    <message>
        <source>Adapter %1</source>
        <translation>어댑터 %1</translation>
    </message>
</context>
<context>
    <name>quire::PersonaLibrary</name>
    <message>
        <source>%1 (copy)</source>
        <translation>%1 (복사본)</translation>
    </message>
    <message>
        <source>“%1” was deleted. Its chats continue without a persona.</source>
        <translation>“%1” 페르소나를 삭제했습니다. 대화는 페르소나 없이 계속됩니다.</translation>
    </message>
</context>
<context>
    <name>quire::PersonaListModel</name>
    <message numerus="yes">
        <source>%n persona(s)</source>
        <translation>
            <numerusform>페르소나 %n개</numerusform>
        </translation>
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
        <translation>아직 측정한 값이 없습니다.</translation>
    </message>
    <message>
        <source>Now %1; between %2 and %3 over the last %4.</source>
        <translation>현재 %1. 최근 %4 동안 %2~%3.</translation>
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
    <name>quire::QuantizeLabels</name>
    <message>
        <source>Reading the model</source>
        <translation>모델을 읽는 중</translation>
    </message>
    <message>
        <source>Measuring importance, %1 of %2 tokens</source>
        <translation>중요도 측정 중, %2토큰 중 %1토큰</translation>
    </message>
    <message>
        <source>Loading the model to measure importance</source>
        <translation>중요도를 재려고 모델을 불러오는 중</translation>
    </message>
    <message>
        <source>Writing the file, %1 of %2</source>
        <translation>파일 쓰는 중, %2 중 %1</translation>
    </message>
    <message>
        <source>Comparing with the original, %1 of %2 tokens</source>
        <translation>원본과 비교 중, %2토큰 중 %1토큰</translation>
    </message>
    <message>
        <source>Loading both models to compare them</source>
        <translation>비교하려고 두 모델을 불러오는 중</translation>
    </message>
    <message>
        <source>perplexity</source>
        <translation>퍼플렉서티</translation>
    </message>
    <message>
        <source>How badly the quantised model predicts a text; lower is better</source>
        <translation>양자화한 모델이 텍스트를 얼마나 못 맞히는지 나타냅니다. 낮을수록 좋습니다</translation>
    </message>
    <message>
        <source>perplexity of the original</source>
        <translation>원본의 값</translation>
    </message>
    <message>
        <source>The same for the original. The closer both are, the less was lost.</source>
        <translation>원본에서 잰 값입니다. 두 값이 가까울수록 손실이 적습니다.</translation>
    </message>
    <message>
        <source>KL divergence</source>
        <translation>KL 발산</translation>
    </message>
    <message>
        <source>How far its predictions are from the original&apos;s, on average; below 0.01 is hardly noticeable</source>
        <translation>예측이 원본과 평균적으로 얼마나 다른지 나타냅니다. 0.01보다 작으면 거의 느낄 수 없습니다</translation>
    </message>
    <message>
        <source>same most likely token</source>
        <translation>첫 선택 일치</translation>
    </message>
    <message>
        <source>How often both models find the same next token the most likely one, among %1</source>
        <translation>%1토큰 가운데 두 모델이 같은 다음 토큰을 가장 가능성 높게 본 비율입니다</translation>
    </message>
    <message>
        <source>32 bits. Exact, and twice as large as models are published.</source>
        <translation>32비트. 정확하지만 공개된 모델보다 두 배 큽니다.</translation>
    </message>
    <message>
        <source>16 bits. As models are published: nothing is lost.</source>
        <translation>16비트. 모델이 공개되는 형식 그대로라 손실이 없습니다.</translation>
    </message>
    <message>
        <source>16 bits. Nothing that matters is lost.</source>
        <translation>16비트. 의미 있는 손실이 없습니다.</translation>
    </message>
    <message>
        <source>8 bits. Hardly distinguishable from the original.</source>
        <translation>8비트. 원본과 거의 구별할 수 없습니다.</translation>
    </message>
    <message>
        <source>6 bits. Very close to the original.</source>
        <translation>6비트. 원본과 아주 가깝습니다.</translation>
    </message>
    <message>
        <source>5 bits. Close to the original.</source>
        <translation>5비트. 원본과 가깝습니다.</translation>
    </message>
    <message>
        <source>4 bits. Small, with little loss: the usual choice.</source>
        <translation>4비트. 작고 손실이 적어 가장 많이 씁니다.</translation>
    </message>
    <message>
        <source>4 bits. A little smaller and less exact than Q4_K_M.</source>
        <translation>4비트. Q4_K_M보다 조금 작고 조금 덜 정확합니다.</translation>
    </message>
    <message>
        <source>4 bits. About as exact as Q4_K_S, but slower on a CPU.</source>
        <translation>4비트. Q4_K_S만큼 정확하지만 CPU에서는 느립니다.</translation>
    </message>
    <message>
        <source>4 bits, as gpt-oss has them. Less exact for other models.</source>
        <translation>gpt-oss가 쓰는 4비트 형식입니다. 다른 모델에서는 덜 정확합니다.</translation>
    </message>
    <message>
        <source>4 bits in an older format. Fast, but less exact than Q4_K_M.</source>
        <translation>예전 방식의 4비트. 빠르지만 Q4_K_M보다 덜 정확합니다.</translation>
    </message>
    <message>
        <source>3 bits. Noticeably worse answers; with a text for importance less so.</source>
        <translation>3비트. 답변이 눈에 띄게 나빠집니다. 중요도 측정용 텍스트를 쓰면 덜합니다.</translation>
    </message>
    <message>
        <source>2 bits. Only for large models that would not fit otherwise.</source>
        <translation>2비트. 달리는 들어가지 않는 큰 모델에만 쓰세요.</translation>
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
        <source>Recently used</source>
        <translation>최근 사용</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>대화</translation>
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
        <source>No chats yet.</source>
        <translation>아직 대화가 없습니다.</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>검색하는 중…</translation>
    </message>
    <message>
        <source>Older messages are still being indexed. Search again later.</source>
        <translation>오래된 메시지를 색인하는 중입니다. 잠시 뒤에 다시 검색하세요.</translation>
    </message>
    <message>
        <source>Only the newest %1 are shown. Add a word to narrow the search.</source>
        <translation>최신 결과 %1개만 표시합니다. 검색어를 추가해 범위를 좁히세요.</translation>
    </message>
    <message>
        <source>No matching commands.</source>
        <translation>일치하는 명령이 없습니다.</translation>
    </message>
    <message>
        <source>Nothing found for “%1”.</source>
        <translation>“%1” 검색 결과가 없습니다.</translation>
    </message>
</context>
<context>
    <name>quire::QuitGuard</name>
    <message>
        <source>The latest changes are not saved yet</source>
        <translation>최근 변경 내용이 아직 저장되지 않았습니다</translation>
    </message>
    <message>
        <source>The disk is slow.</source>
        <translation>디스크가 느립니다.</translation>
    </message>
    <message>
        <source>Quit and lose the latest changes</source>
        <translation>최근 변경 내용을 저장하지 않고 종료</translation>
    </message>
    <message numerus="yes">
        <source>%n message(s) not saved yet</source>
        <translation>
            <numerusform>메시지 %n개가 아직 저장되지 않았습니다</numerusform>
        </translation>
    </message>
    <message>
        <source>Quire keeps trying and closes once everything is saved.</source>
        <translation>계속 저장을 시도하고, 모두 저장되면 종료합니다.</translation>
    </message>
    <message numerus="yes">
        <source>Quit and lose %n message(s)</source>
        <translation>
            <numerusform>메시지 %n개를 저장하지 않고 종료</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::RemoteAnswer</name>
    <message>
        <source>what it sent is not JSON</source>
        <translation>받은 내용이 JSON이 아닙니다</translation>
    </message>
    <message>
        <source>The answer of %1 is longer than Quire takes, so it was stopped.</source>
        <translation>%1 서버의 답변이 Quire가 받을 수 있는 길이를 넘어 중지했습니다.</translation>
    </message>
    <message>
        <source>A filter of %1 stopped this answer.</source>
        <translation>%1 서버의 필터가 이 답변을 중단했습니다.</translation>
    </message>
</context>
<context>
    <name>quire::RemoteBackend</name>
    <message>
        <source>The machine that this chat used is not on the page Models any more. Choose another model.</source>
        <translation>이 대화가 사용하던 컴퓨터는 모델 페이지에 더 이상 없습니다. 다른 모델을 선택하세요.</translation>
    </message>
    <message>
        <source>The key holds characters that keys do not have. Paste it again.</source>
        <translation>키에 쓸 수 없는 문자가 있습니다. 다시 붙여 넣으세요.</translation>
    </message>
</context>
<context>
    <name>quire::RemoteCall</name>
    <message>
        <source>this computer has no library for encryption (TLS)</source>
        <translation>이 컴퓨터에 암호화(TLS) 라이브러리가 없습니다</translation>
    </message>
</context>
<context>
    <name>quire::RemoteLabels</name>
    <message>
        <source>%1 · another program on this computer</source>
        <translation>%1 · 이 컴퓨터의 다른 프로그램</translation>
    </message>
    <message>
        <source>%1 · leaves this computer</source>
        <translation>%1 · 이 컴퓨터 밖으로 전송됨</translation>
    </message>
    <message>
        <source>%1 in, %2 out per million tokens</source>
        <translation>100만 토큰당 입력 %1, 출력 %2</translation>
    </message>
    <message>
        <source>Another program on this computer answers this chat: %1 (%2). Quire does not know what it does with it.</source>
        <translation>이 컴퓨터의 다른 프로그램이 이 대화에 답변합니다: %1(%2). 그 프로그램이 내용을 어떻게 다루는지 Quire는 알 수 없습니다.</translation>
    </message>
    <message>
        <source>This chat leaves this computer: all its messages and files go to %1 (%2).</source>
        <translation>이 대화는 이 컴퓨터 밖으로 나갑니다. 모든 메시지와 파일이 %1(%2) 서버로 전송됩니다.</translation>
    </message>
    <message>
        <source>The connection is not encrypted.</source>
        <translation>연결이 암호화되지 않습니다.</translation>
    </message>
    <message>
        <source>%1 answers. %2</source>
        <translation>%1 모델이 답변합니다. %2</translation>
    </message>
    <message>
        <source>%1 tokens in (%2 cached)</source>
        <translation>입력 %1토큰(캐시 %2)</translation>
    </message>
    <message>
        <source>%1 tokens in</source>
        <translation>입력 %1토큰</translation>
    </message>
    <message>
        <source>%1 out</source>
        <translation>출력 %1</translation>
    </message>
    <message>
        <source>As the server counted: %1 tokens in the prompt, of which it had %2 cached, and %3 in the answer with its reasoning.</source>
        <translation>서버가 계산한 값: 프롬프트 %1토큰(그중 캐시 %2토큰), 추론을 포함한 답변 %3토큰.</translation>
    </message>
    <message>
        <source>At the prices that you entered: %1.</source>
        <translation>입력한 가격 기준: %1.</translation>
    </message>
</context>
<context>
    <name>quire::RemoteModels</name>
    <message>
        <source>No keychain can be reached, so the key of %1 is remembered only until Quire ends. Type it again after the next start. (%2)</source>
        <translation>키체인에 연결할 수 없어 %1 키를 Quire가 종료될 때까지만 기억합니다. 다음에 시작한 뒤 다시 입력하세요. (%2)</translation>
    </message>
</context>
<context>
    <name>quire::RemoteTexts</name>
    <message>
        <source>The chat is too long for %1 on %2. Start a new one, or shorten it</source>
        <translation>대화가 %2 서버의 %1 모델에 너무 깁니다. 새 대화를 시작하거나 줄이세요</translation>
    </message>
    <message>
        <source>%1 refused the key. Check it on the page Models</source>
        <translation>%1 서버가 키를 거부했습니다. 모델 페이지에서 확인하세요</translation>
    </message>
    <message>
        <source>%1 has no such API. Check the address.</source>
        <translation>%1 서버에 해당 API가 없습니다. 주소를 확인하세요.</translation>
    </message>
    <message>
        <source>%1 does not have the model %2. Choose another one</source>
        <translation>%1 서버에 %2 모델이 없습니다. 다른 모델을 선택하세요</translation>
    </message>
    <message>
        <source>%1 takes no more requests now. Try again later</source>
        <translation>%1 서버가 지금은 요청을 더 받지 않습니다. 나중에 다시 시도하세요</translation>
    </message>
    <message>
        <source>%1 did not accept the request</source>
        <translation>%1 서버가 요청을 받아들이지 않았습니다</translation>
    </message>
    <message>
        <source>%1 failed (error %2). Try again later</source>
        <translation>%1 서버에 오류가 발생했습니다(오류 %2). 나중에 다시 시도하세요</translation>
    </message>
    <message>
        <source>%1 could not complete the answer</source>
        <translation>%1 서버가 답변을 완료하지 못했습니다</translation>
    </message>
    <message>
        <source>%1 (%2) could not prove that it is itself, so nothing was sent: %3</source>
        <translation>%1(%2) 서버의 신원을 확인할 수 없어 아무것도 보내지 않았습니다: %3</translation>
    </message>
    <message>
        <source>%1 (%2) does not respond. Check that it runs and that this computer can reach it.</source>
        <translation>%1(%2) 서버가 응답하지 않습니다. 서버가 실행 중이고 이 컴퓨터에서 연결할 수 있는지 확인하세요.</translation>
    </message>
    <message>
        <source>%1 accepted the request but sent no answer in time. Try again later.</source>
        <translation>%1 서버가 요청을 받았지만 제시간에 답변을 보내지 않았습니다. 나중에 다시 시도하세요.</translation>
    </message>
    <message>
        <source>What %1 (%2) sent is not a response of HTTP. Check the address.</source>
        <translation>%1(%2) 서버가 보낸 내용은 HTTP 응답이 아닙니다. 주소를 확인하세요.</translation>
    </message>
    <message>
        <source>%1 (%2) cannot be reached. Check that it runs</source>
        <translation>%1(%2) 서버에 연결할 수 없습니다. 서버가 실행 중인지 확인하세요</translation>
    </message>
    <message>
        <source>The connection to %1 broke before it answered. Try again.</source>
        <translation>%1 서버가 답변하기 전에 연결이 끊어졌습니다. 다시 시도하세요.</translation>
    </message>
    <message>
        <source>%1 stopped sending before the answer was complete.</source>
        <translation>답변이 완료되기 전에 %1 서버의 전송이 멈췄습니다.</translation>
    </message>
    <message>
        <source>The connection to %1 broke before the answer was complete.</source>
        <translation>답변이 완료되기 전에 %1 서버와의 연결이 끊어졌습니다.</translation>
    </message>
    <message>
        <source>What came is kept; Continue goes on from there.</source>
        <translation>받은 내용은 남아 있으며, 계속을 누르면 이어집니다.</translation>
    </message>
    <message>
        <source>What came is kept; Regenerate makes a new answer.</source>
        <translation>받은 내용은 남아 있으며, 다시 생성하면 새 답변을 받습니다.</translation>
    </message>
    <message>
        <source>%1 answered with “%2”, which is not the API of a model. Check the address.</source>
        <translation>%1 서버가 “%2” 형식으로 응답했는데, 이는 모델 API가 아닙니다. 주소를 확인하세요.</translation>
    </message>
    <message numerus="yes">
        <source>%1 takes no more requests now, and asks to wait %n second(s).</source>
        <translation>
            <numerusform>%1 서버가 지금은 요청을 더 받지 않으며, %n초 기다리라고 합니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 needs a key. Add it on the page Models</source>
        <translation>%1 서버에는 키가 필요합니다. 모델 페이지에서 입력하세요</translation>
    </message>
    <message>
        <source>%1 sends requests on to %2, which Quire does not follow. Type that address if you trust it.</source>
        <translation>%1 서버가 요청을 %2 주소로 돌리는데, Quire는 이를 따라가지 않습니다. 신뢰하는 주소라면 직접 입력하세요.</translation>
    </message>
    <message>
        <source>The key of %1 is not in the keychain any more. Type it again on the page Models.</source>
        <translation>%1 키가 키체인에 더 이상 없습니다. 모델 페이지에서 다시 입력하세요.</translation>
    </message>
</context>
<context>
    <name>quire::ServerModel</name>
    <message>
        <source>The port must be a number from 1 to %1.</source>
        <translation>포트는 1에서 %1 사이의 숫자여야 합니다.</translation>
    </message>
    <message>
        <source>Default: %1</source>
        <translation>기본값: %1</translation>
    </message>
    <message>
        <source>Anyone in your network who has the key can use your models. The connection is not encrypted.</source>
        <translation>네트워크에서 키를 가진 사람은 누구나 이 컴퓨터의 모델을 쓸 수 있습니다. 연결은 암호화되지 않습니다.</translation>
    </message>
    <message>
        <source>It is forgotten when Quire closes: %1</source>
        <translation>Quire를 닫으면 키가 사라집니다: %1</translation>
    </message>
    <message>
        <source>It is forgotten when Quire closes.</source>
        <translation>Quire를 닫으면 키가 사라집니다.</translation>
    </message>
    <message>
        <source>None yet: load a model on the page Models.</source>
        <translation>아직 없음: 모델 페이지에서 모델을 불러오세요.</translation>
    </message>
    <message>
        <source>Clients: %1 · Requests: %2</source>
        <translation>클라이언트: %1 · 요청: %2</translation>
    </message>
</context>
<context>
    <name>quire::SettingSynonyms</name>
    <message>
        <source>dark mode, night, light mode, colours, colors, background</source>
        <translation>다크 모드, 라이트 모드, 어두운 화면, 밝은 화면, 야간, 색상, 배경</translation>
    </message>
    <message>
        <source>font size, letters, zoom, scale, bigger, larger, smaller</source>
        <translation>글꼴, 폰트, 글씨, 확대, 축소, 크게, 작게</translation>
    </message>
    <message>
        <source>English, Korean, translation, locale</source>
        <translation>영어, 한국어, 한글, 번역</translation>
    </message>
    <message>
        <source>alerts, notify, pop-ups, popups</source>
        <translation>알림, 팝업, 알리기</translation>
    </message>
    <message>
        <source>mute, silent, volume, beep</source>
        <translation>음소거, 무음, 음량, 알림음</translation>
    </message>
    <message>
        <source>GPU, graphics card, CUDA, NVIDIA, VRAM, CPU, processor</source>
        <translation>GPU, 그래픽카드, 그래픽 카드, 비디오 메모리, CPU, 프로세서</translation>
    </message>
    <message>
        <source>default model, LLM</source>
        <translation>기본 모델, 언어 모델</translation>
    </message>
    <message>
        <source>restart</source>
        <translation>다시 시작</translation>
    </message>
    <message>
        <source>RAM, VRAM, timeout, sleep, power</source>
        <translation>램, 비디오 메모리, 절전, 자동 해제</translation>
    </message>
    <message>
        <source>HTTP, REST, endpoint, localhost</source>
        <translation>HTTP, 엔드포인트, 연결</translation>
    </message>
    <message>
        <source>host, endpoint, localhost</source>
        <translation>호스트, 엔드포인트, URL</translation>
    </message>
    <message>
        <source>token, password, secret, authentication</source>
        <translation>토큰, 비밀번호, 암호, 인증</translation>
    </message>
    <message>
        <source>network, LAN, Wi-Fi, remote access, firewall</source>
        <translation>네트워크, 와이파이, 원격, 방화벽</translation>
    </message>
    <message>
        <source>storage, location, path, directory, database, files</source>
        <translation>저장 위치, 저장소, 경로, 데이터베이스, 파일</translation>
    </message>
    <message>
        <source>storage, prefix cache, SSD</source>
        <translation>저장 공간, 용량, 캐시</translation>
    </message>
    <message>
        <source>restore, save a copy, archive, transfer, move to another computer</source>
        <translation>복원, 복사본, 보관, 옮기기</translation>
    </message>
    <message>
        <source>telemetry, tracking, data protection, offline, internet</source>
        <translation>추적, 데이터 보호, 오프라인, 인터넷</translation>
    </message>
    <message>
        <source>hotkeys, key bindings</source>
        <translation>핫키, 키 설정</translation>
    </message>
    <message>
        <source>version, update, release, build</source>
        <translation>버전, 업데이트, 빌드</translation>
    </message>
    <message>
        <source>license, open source, copyright</source>
        <translation>오픈 소스, 저작권, 라이센스</translation>
    </message>
    <message>
        <source>creativity, creative, random, sampling, deterministic</source>
        <translation>창의성, 무작위, 샘플링</translation>
    </message>
    <message>
        <source>nucleus, random, sampling</source>
        <translation>무작위, 샘플링</translation>
    </message>
    <message>
        <source>random, sampling</source>
        <translation>무작위, 샘플링</translation>
    </message>
    <message>
        <source>max tokens, limit, shorter, longer</source>
        <translation>최대 토큰, 제한, 짧게, 길게</translation>
    </message>
    <message>
        <source>repeat, loop</source>
        <translation>되풀이, 반복</translation>
    </message>
    <message>
        <source>loop</source>
        <translation>되풀이, 반복</translation>
    </message>
    <message>
        <source>stop sequences, end of answer</source>
        <translation>중지 문자열, 중단</translation>
    </message>
    <message>
        <source>random, reproducible, deterministic</source>
        <translation>무작위, 재현</translation>
    </message>
    <message>
        <source>thinking, thoughts, chain of thought</source>
        <translation>생각, 사고 과정</translation>
    </message>
    <message>
        <source>processor, performance, speed, faster</source>
        <translation>CPU, 코어, 프로세서, 성능, 속도</translation>
    </message>
    <message>
        <source>context window, context length, history, RAM, VRAM</source>
        <translation>컨텍스트 길이, 문맥, 대화 길이, 램</translation>
    </message>
    <message>
        <source>RAM, VRAM, GPU memory, graphics card</source>
        <translation>램, 비디오 메모리, GPU, 그래픽</translation>
    </message>
    <message>
        <source>quantisation, quantization, memory, RAM, VRAM</source>
        <translation>양자화, 메모리, 램, 비디오 메모리</translation>
    </message>
    <message>
        <source>prefill, performance, speed, faster, latency</source>
        <translation>프리필, 성능, 속도, 지연</translation>
    </message>
</context>
<context>
    <name>quire::SettingsModel</name>
    <message>
        <source>Default: %1 MiB</source>
        <translation>기본값: %1 MiB</translation>
    </message>
    <message>
        <source>This is a whole number of MiB, 0 or more; 0 keeps nothing.</source>
        <translation>0 이상의 정수(MiB)를 입력하세요. 0이면 보관하지 않습니다.</translation>
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
        <translation>%1 답변 방식</translation>
    </message>
    <message>
        <source>This folder is on a network (%1), where a lost connection can damage your chats. A folder on this computer is safer: start Quire with --data.</source>
        <translation>이 폴더는 네트워크(%1)에 있어서 연결이 끊기면 대화가 손상될 수 있습니다. 이 컴퓨터의 폴더가 더 안전합니다. --data로 Quire를 시작하세요.</translation>
    </message>
</context>
<context>
    <name>quire::SettingsSearch</name>
    <message>
        <source>No setting matches “%1”.</source>
        <translation>“%1” 설정을 찾지 못했습니다.</translation>
    </message>
    <message numerus="yes">
        <source>%n setting(s) found</source>
        <translation>
            <numerusform>설정 %n개를 찾았습니다</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::SpokenCaret</name>
    <message>
        <source>Caret shown. %1</source>
        <translation>커서를 표시했습니다. %1</translation>
    </message>
    <message>
        <source>Caret hidden</source>
        <translation>커서를 숨겼습니다</translation>
    </message>
    <message>
        <source>Empty line</source>
        <translation>빈 줄</translation>
    </message>
    <message>
        <source>End of paragraph</source>
        <translation>문단 끝</translation>
    </message>
    <message>
        <source>New line</source>
        <translation>줄 바꿈</translation>
    </message>
    <message>
        <source>Tab</source>
        <translation>탭</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>공백</translation>
    </message>
</context>
<context>
    <name>quire::SpokenDownloads</name>
    <message numerus="yes">
        <source>%n model(s) found</source>
        <translation>
            <numerusform>모델 %n개를 찾았습니다</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n model(s) to download</source>
        <translation>
            <numerusform>다운로드할 모델 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is downloaded and verified.</source>
        <translation>%1: 다운로드와 확인을 마쳤습니다.</translation>
    </message>
    <message>
        <source>%1 is paused.</source>
        <translation>%1: 일시 정지했습니다.</translation>
    </message>
    <message>
        <source>%1 stopped. %2</source>
        <translation>%1: 중단되었습니다. %2</translation>
    </message>
    <message>
        <source>Downloading %1</source>
        <translation>다운로드 중: %1</translation>
    </message>
    <message>
        <source>%1: %2% downloaded</source>
        <translation>%1: %2% 다운로드</translation>
    </message>
</context>
<context>
    <name>quire::StoreRescue</name>
    <message>
        <source>A backup can take its place. The file is then kept under another name.</source>
        <translation>백업으로 교체할 수 있습니다. 원래 파일은 다른 이름으로 보관합니다.</translation>
    </message>
    <message>
        <source>Nothing in it can be read. Whatever you choose, the damaged file is kept.</source>
        <translation>읽을 수 있는 내용이 없습니다. 무엇을 선택하든 손상된 파일은 보관합니다.</translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) can still be listed. Whatever you choose, the damaged file is kept.</source>
        <translation>
            <numerusform>대화 %n개를 아직 읽을 수 있습니다. 무엇을 선택하든 손상된 파일은 보관합니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>Start fresh with what can be read</source>
        <translation>읽을 수 있는 대화로 새로 시작</translation>
    </message>
    <message>
        <source>Start fresh</source>
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
        <source>Answer</source>
        <translation>답변</translation>
    </message>
    <message>
        <source>You</source>
        <translation>나</translation>
    </message>
    <message>
        <source>None of its chats can be read.</source>
        <translation>읽을 수 있는 대화가 없습니다.</translation>
    </message>
    <message>
        <source>None of this chat&apos;s messages can be read.</source>
        <translation>이 대화에서 읽을 수 있는 메시지가 없습니다.</translation>
    </message>
</context>
<context>
    <name>quire::StoreWords</name>
    <message>
        <source>The file &quot;%1&quot; could not be written, so nothing was replaced. Make room and try again.</source>
        <translation>&quot;%1&quot; 파일을 저장하지 못해 아무것도 교체하지 않았습니다. 공간을 확보하고 다시 시도하세요.</translation>
    </message>
    <message>
        <source>The backup &quot;%1&quot; could not be written: %2. Make room, or choose another folder with --data.</source>
        <translation>백업 파일을 저장하지 못했습니다: &quot;%1&quot;(%2). 공간을 확보하거나 --data로 다른 폴더를 지정하세요.</translation>
    </message>
    <message>
        <source>The old backup &quot;%1&quot; cannot be removed. Check the permissions of its folder.</source>
        <translation>오래된 백업 파일을 삭제할 수 없습니다: &quot;%1&quot;. 폴더의 권한을 확인하세요.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; is damaged (%2). Choose another backup.</source>
        <translation>&quot;%1&quot; 파일이 손상되었습니다(%2). 다른 백업을 선택하세요.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; is damaged (%2). Put a backup in its place; what can still be read is taken over from it.</source>
        <translation>&quot;%1&quot; 파일이 손상되었습니다(%2). 백업으로 교체하세요. 아직 읽을 수 있는 내용은 옮겨 옵니다.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; cannot be renamed. Check the permissions of its folder.</source>
        <translation>&quot;%1&quot; 파일의 이름을 바꿀 수 없습니다. 폴더의 권한을 확인하세요.</translation>
    </message>
    <message>
        <source>The backup could not take the place of &quot;%1&quot;. Copy &quot;%2&quot; there.</source>
        <translation>&quot;%1&quot; 파일을 백업으로 교체하지 못했습니다. &quot;%2&quot; 파일을 그 위치에 복사하세요.</translation>
    </message>
    <message>
        <source>The folder &quot;%1&quot; cannot be used for Quire&apos;s data: %2. Choose another with --data or change its permissions.</source>
        <translation>&quot;%1&quot; 폴더를 Quire 데이터에 사용할 수 없습니다: %2. --data로 다른 폴더를 지정하거나 권한을 변경하세요.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; cannot be written: %2. Choose another folder with --data or change its permissions.</source>
        <translation>&quot;%1&quot; 파일에 쓸 수 없습니다: %2. --data로 다른 폴더를 지정하거나 권한을 변경하세요.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; is not there any more: it was moved, deleted or replaced, or its disk was removed. Put it back, and saving goes on.</source>
        <translation>&quot;%1&quot; 파일이 더 이상 없습니다. 파일이 이동, 삭제 또는 교체되었거나 디스크가 분리되었습니다. 제자리에 되돌리면 저장이 계속됩니다.</translation>
    </message>
    <message>
        <source>The database of the log &quot;%1&quot; is gone or empty. Put the database back beside it, or move the log away to start with an empty history.</source>
        <translation>로그 &quot;%1&quot;의 데이터베이스가 없거나 비어 있습니다. 데이터베이스를 로그 옆에 되돌리거나, 로그를 다른 곳으로 옮겨 빈 기록으로 시작하세요.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; is empty, although it has backups. Put a backup in its place, or move it away to start with an empty history.</source>
        <translation>&quot;%1&quot; 파일은 백업이 있는데도 비어 있습니다. 백업으로 교체하거나, 다른 곳으로 옮겨 빈 기록으로 시작하세요.</translation>
    </message>
    <message>
        <source>The journal &quot;%1&quot; names another file, which would be deleted. Delete the journal, or put a backup in place.</source>
        <translation>&quot;%1&quot; 저널이 다른 파일을 가리키고 있어 그 파일이 삭제될 수 있습니다. 저널을 삭제하거나 백업으로 교체하세요.</translation>
    </message>
    <message>
        <source>&quot;%1&quot; was left by another state of the database beside it, whose chats it would overwrite. Move it to another folder.</source>
        <translation>&quot;%1&quot; 파일은 옆에 있는 데이터베이스의 다른 상태에서 남은 것이라 그 대화를 덮어쓸 수 있습니다. 다른 폴더로 옮기세요.</translation>
    </message>
    <message>
        <source>Its log &quot;%1&quot; may belong to another file: if you put a backup in place, delete it.</source>
        <translation>로그 &quot;%1&quot; 파일은 다른 파일의 것일 수 있습니다. 백업으로 교체할 때는 이 로그를 삭제하세요.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; belongs to another user, and others may write to it, so that they could change your chats. Move it away, or choose another folder with --data.</source>
        <translation>&quot;%1&quot; 파일은 다른 사용자의 것이며 다른 사람이 쓸 수 있어 대화를 바꿔 놓을 수 있습니다. 다른 곳으로 옮기거나 --data로 다른 폴더를 선택하세요.</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is no file that Quire can open. Remove it, or choose another folder with --data.</source>
        <translation>&quot;%1&quot; 항목은 Quire가 열 수 있는 파일이 아닙니다. 삭제하거나 --data로 다른 폴더를 지정하세요.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; is damaged or not a database (%2). Put a backup in its place, or move it away to start with an empty history.</source>
        <translation>&quot;%1&quot; 파일이 손상되었거나 데이터베이스가 아닙니다(%2). 백업으로 교체하거나, 빈 기록으로 시작하려면 다른 곳으로 옮기세요.</translation>
    </message>
    <message>
        <source>There are no conversations in &quot;%1&quot;. Name the folder that holds Quire&apos;s data (quire.db) with --data.</source>
        <translation>&quot;%1&quot; 폴더에 대화가 없습니다. Quire 데이터(quire.db)가 있는 폴더를 --data로 지정하세요.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; is another program&apos;s database. Choose another folder with --data, or move the file away.</source>
        <translation>&quot;%1&quot; 파일은 다른 프로그램의 데이터베이스입니다. --data로 다른 폴더를 지정하거나 파일을 옮기세요.</translation>
    </message>
    <message>
        <source>The disk is full: &quot;%1&quot; could not be written. Free some space; what was saved before is safe.</source>
        <translation>디스크가 가득 차 &quot;%1&quot; 파일을 저장하지 못했습니다. 공간을 확보하세요. 이미 저장된 내용은 안전합니다.</translation>
    </message>
    <message>
        <source>Another program holds &quot;%1&quot; locked. Close it and try again.</source>
        <translation>다른 프로그램이 &quot;%1&quot; 파일을 잠그고 있습니다. 그 프로그램을 닫고 다시 시도하세요.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; cannot be read: %2. Check its disk and the folder&apos;s permissions, or choose another folder with --data.</source>
        <translation>&quot;%1&quot; 파일을 읽을 수 없습니다: %2. 디스크와 폴더의 권한을 확인하거나 --data로 다른 폴더를 지정하세요.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; cannot be written: %2. Check its disk and the folder&apos;s permissions, or choose another folder with --data.</source>
        <translation>&quot;%1&quot; 파일에 쓸 수 없습니다: %2. 디스크와 폴더의 권한을 확인하거나 --data로 다른 폴더를 지정하세요.</translation>
    </message>
    <message>
        <source>The table &quot;%1&quot; of &quot;%2&quot; refers to rows that do not exist. Put a backup in its place, or move it away to start with an empty history.</source>
        <translation>&quot;%2&quot; 파일의 &quot;%1&quot; 테이블에 존재하지 않는 행을 가리키는 데이터가 있습니다. 백업으로 교체하거나, 빈 기록으로 시작하려면 다른 곳으로 옮기세요.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; was written by a newer Quire (its version is %2, this program knows %3). Update Quire, or choose another folder with --data.</source>
        <translation>&quot;%1&quot; 파일은 더 최신 버전의 Quire에서 만든 파일입니다(파일 버전 %2, 지원 버전 %3). Quire를 업데이트하거나 --data로 다른 폴더를 지정하세요.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; could not be written: %2. Choose another place, or make room.</source>
        <translation>&quot;%1&quot; 파일을 저장하지 못했습니다: %2. 다른 위치를 선택하거나 공간을 확보하세요.</translation>
    </message>
    <message>
        <source>In the chat &quot;%1&quot;, message %2 answers one that is not there.</source>
        <translation>&quot;%1&quot; 대화의 %2번 메시지가 답하는 메시지가 없습니다.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; was written by a newer Quire. Update Quire, and import it then.</source>
        <translation>&quot;%1&quot; 파일은 더 최신 버전의 Quire에서 만든 파일입니다. Quire를 업데이트한 뒤 가져오세요.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; cannot be read: %2.</source>
        <translation>&quot;%1&quot; 파일을 읽을 수 없습니다: %2.</translation>
    </message>
    <message>
        <source>the chat &quot;%1&quot;: %2</source>
        <translation>&quot;%1&quot; 대화: %2</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; cannot be imported: %2. Choose a JSON file that Quire exported.</source>
        <translation>&quot;%1&quot; 파일을 가져올 수 없습니다: %2. Quire에서 내보낸 JSON 파일을 선택하세요.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; cannot be imported: it holds no chats as Quire exports them. Choose a file that Quire exported.</source>
        <translation>&quot;%1&quot; 파일을 가져올 수 없습니다. Quire에서 내보낸 형식의 대화가 없습니다. Quire에서 내보낸 파일을 선택하세요.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; cannot be imported: it holds more than %2 chats, or a chat of more than %3 characters or %4 messages, or a text of more than %5 characters. Export fewer chats at once, or as JSON.</source>
        <translation>&quot;%1&quot; 파일을 가져올 수 없습니다. 대화가 %2개를 넘거나, %3자 또는 메시지 %4개를 넘는 대화가 있거나, %5자를 넘는 글이 있습니다. 한 번에 내보내는 대화 수를 줄이거나 JSON으로 내보내세요.</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not a file. Choose a file that Quire exported.</source>
        <translation>&quot;%1&quot; 항목은 파일이 아닙니다. Quire에서 내보낸 파일을 선택하세요.</translation>
    </message>
    <message>
        <source>There is not enough memory for &quot;%1&quot;. Close other programs; what was saved before is safe.</source>
        <translation>&quot;%1&quot; 파일에 쓸 메모리가 부족합니다. 다른 프로그램을 닫으세요. 이미 저장된 내용은 안전합니다.</translation>
    </message>
    <message>
        <source>The tables of the file &quot;%1&quot; are not those that Quire made (%2). Put a backup in its place, or move it away to start with an empty history.</source>
        <translation>&quot;%1&quot; 파일의 표가 Quire에서 만든 것과 다릅니다(%2). 백업으로 바꾸거나, 파일을 옮겨 빈 기록으로 시작하세요.</translation>
    </message>
    <message>
        <source>The file &quot;%1&quot; is on a file system that lacks what a database needs. Choose a folder on a disk of this computer with --data.</source>
        <translation>&quot;%1&quot; 파일이 있는 파일 시스템에는 데이터베이스에 필요한 기능이 없습니다. --data로 이 컴퓨터 디스크의 폴더를 선택하세요.</translation>
    </message>
    <message>
        <source>Other users of this computer can write to the folder &quot;%1&quot;, so that they could replace your chats. Take that right away (chmod go-w), or choose another folder with --data.</source>
        <translation>이 컴퓨터의 다른 사용자가 &quot;%1&quot; 폴더에 쓸 수 있어 대화를 바꿔 놓을 수 있습니다. 그 권한을 없애거나(chmod go-w) --data로 다른 폴더를 선택하세요.</translation>
    </message>
    <message>
        <source>The deleted chat could not be removed from the backup &quot;%1&quot;. Check its disk and the folder&apos;s permissions, or delete that backup.</source>
        <translation>삭제한 대화를 &quot;%1&quot; 백업에서 삭제하지 못했습니다. 디스크와 폴더 권한을 확인하거나 그 백업을 삭제하세요.</translation>
    </message>
    <message>
        <source>The deleted chat could not be removed from %1 backups, &quot;%2&quot; among them. Check their disk and the folder&apos;s permissions, or delete those backups.</source>
        <translation>삭제한 대화를 &quot;%2&quot; 등 백업 %1개에서 삭제하지 못했습니다. 디스크와 폴더 권한을 확인하거나 그 백업들을 삭제하세요.</translation>
    </message>
    <message>
        <source>too many or too long</source>
        <translation>항목이 너무 많거나 너무 김</translation>
    </message>
</context>
<context>
    <name>quire::SystemReasons</name>
    <message>
        <source>No such file or directory</source>
        <translation>그런 파일이나 폴더가 없습니다</translation>
    </message>
    <message>
        <source>Not a directory</source>
        <translation>폴더가 아닙니다</translation>
    </message>
    <message>
        <source>Is a directory</source>
        <translation>파일이 아니라 폴더입니다</translation>
    </message>
    <message>
        <source>Permission denied</source>
        <translation>권한이 없습니다</translation>
    </message>
    <message>
        <source>Operation not permitted</source>
        <translation>허용되지 않는 작업입니다</translation>
    </message>
    <message>
        <source>No space left on device</source>
        <translation>디스크에 남은 공간이 없습니다</translation>
    </message>
    <message>
        <source>Disk quota exceeded</source>
        <translation>디스크 할당량을 초과했습니다</translation>
    </message>
    <message>
        <source>Read-only file system</source>
        <translation>읽기 전용 파일 시스템입니다</translation>
    </message>
    <message>
        <source>Input/output error</source>
        <translation>입출력 오류입니다</translation>
    </message>
    <message>
        <source>File exists</source>
        <translation>같은 이름의 파일이 있습니다</translation>
    </message>
    <message>
        <source>File too large</source>
        <translation>파일이 너무 큽니다</translation>
    </message>
    <message>
        <source>File name too long</source>
        <translation>파일 이름이 너무 깁니다</translation>
    </message>
    <message>
        <source>Too many open files</source>
        <translation>열린 파일이 너무 많습니다</translation>
    </message>
    <message>
        <source>Too many levels of symbolic links</source>
        <translation>심볼릭 링크가 너무 여러 번 이어집니다</translation>
    </message>
    <message>
        <source>Device or resource busy</source>
        <translation>장치나 자원을 다른 곳에서 사용 중입니다</translation>
    </message>
    <message>
        <source>Text file busy</source>
        <translation>실행 중인 파일입니다</translation>
    </message>
    <message>
        <source>Cannot allocate memory</source>
        <translation>메모리가 부족합니다</translation>
    </message>
    <message>
        <source>Stale file handle</source>
        <translation>네트워크 파일의 연결이 만료되었습니다</translation>
    </message>
    <message>
        <source>Connection refused</source>
        <translation>연결이 거부되었습니다</translation>
    </message>
    <message>
        <source>Connection timed out</source>
        <translation>연결 시간이 초과되었습니다</translation>
    </message>
    <message>
        <source>Connection reset by peer</source>
        <translation>상대가 연결을 끊었습니다</translation>
    </message>
    <message>
        <source>Network is unreachable</source>
        <translation>네트워크에 연결할 수 없습니다</translation>
    </message>
    <message>
        <source>No route to host</source>
        <translation>호스트로 가는 경로가 없습니다</translation>
    </message>
    <message>
        <source>Host not found</source>
        <translation>호스트를 찾을 수 없습니다</translation>
    </message>
    <message>
        <source>file is not a database</source>
        <translation>데이터베이스 파일이 아닙니다</translation>
    </message>
    <message>
        <source>database disk image is malformed</source>
        <translation>데이터베이스가 손상되었습니다</translation>
    </message>
    <message>
        <source>unable to open database file</source>
        <translation>데이터베이스 파일을 열 수 없습니다</translation>
    </message>
    <message>
        <source>attempt to write a readonly database</source>
        <translation>읽기 전용 데이터베이스입니다</translation>
    </message>
    <message>
        <source>database is locked</source>
        <translation>데이터베이스가 잠겨 있습니다</translation>
    </message>
    <message>
        <source>database or disk is full</source>
        <translation>데이터베이스나 디스크가 가득 찼습니다</translation>
    </message>
    <message>
        <source>disk I/O error</source>
        <translation>디스크 입출력 오류입니다</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>메모리를 할당할 수 없습니다</translation>
    </message>
</context>
<context>
    <name>quire::ThoughtClock</name>
    <message>
        <source>Thought</source>
        <translation>추론함</translation>
    </message>
    <message>
        <source>Thought for about %1</source>
        <translation>약 %1 동안 추론함</translation>
    </message>
    <message>
        <source>Thought for %1</source>
        <translation>%1 동안 추론함</translation>
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
        <source>Thinking…</source>
        <translation>추론 중…</translation>
    </message>
    <message>
        <source>Thought, stopped before an answer</source>
        <translation>추론함, 답변 전에 중지됨</translation>
    </message>
    <message>
        <source>Waiting…</source>
        <translation>대기 중…</translation>
    </message>
    <message>
        <source>Processing prompt…</source>
        <translation>프롬프트 처리 중…</translation>
    </message>
    <message>
        <source>Stopped before it started</source>
        <translation>시작되기 전에 중지됨</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>중지됨</translation>
    </message>
    <message>
        <source>The answer was cut off before it started. Regenerate it.</source>
        <translation>답변이 시작되기 전에 끊겼습니다. 다시 생성하세요.</translation>
    </message>
    <message>
        <source>Cut off when Quire closed. The text so far is kept. Continue the answer or regenerate it.</source>
        <translation>Quire가 종료되면서 끊겼습니다. 지금까지의 내용은 남아 있습니다. 계속 생성하거나 다시 생성하세요.</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Find in this chat</source>
        <translation>이 대화에서 찾기</translation>
    </message>
    <message>
        <source>Previous match (Shift+Enter)</source>
        <translation>이전 일치 항목(Shift+Enter)</translation>
    </message>
    <message>
        <source>Next match (Enter)</source>
        <translation>다음 일치 항목(Enter)</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>닫기(Esc)</translation>
    </message>
</context>
<context>
    <name>quire::ChatFind</name>
    <message>
        <source>No matches</source>
        <translation>일치하는 내용 없음</translation>
    </message>
    <message>
        <source>%L1 of %L2</source>
        <translation>%L2개 중 %L1번째</translation>
    </message>
</context>
<context>
    <name>MessageEditorRow</name>
    <message>
        <source>Edit answer</source>
        <translation>답변 편집</translation>
    </message>
    <message>
        <source>Edit message</source>
        <translation>메시지 편집</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
</context>
<context>
    <name>quire::MessageEditor</name>
    <message>
        <source>Save</source>
        <translation>저장</translation>
    </message>
    <message>
        <source>Save and regenerate</source>
        <translation>저장하고 다시 생성</translation>
    </message>
    <message>
        <source>You can save this when the answer is complete.</source>
        <translation>답변이 끝나면 저장할 수 있습니다.</translation>
    </message>
    <message>
        <source>Saves your edit as a version of the answer; nothing is sent.</source>
        <translation>편집한 내용을 답변의 새 버전으로 저장합니다. 모델에 보내지 않습니다.</translation>
    </message>
    <message>
        <source>You can save this when a model is loaded.</source>
        <translation>모델을 불러온 뒤에 저장할 수 있습니다.</translation>
    </message>
    <message>
        <source>The old version is kept.</source>
        <translation>이전 버전은 남습니다.</translation>
    </message>
</context>
<context>
    <name>quire::SlashMenu</name>
    <message>
        <source>Current persona</source>
        <translation>현재 페르소나</translation>
    </message>
    <message>
        <source>Switch persona</source>
        <translation>페르소나 바꾸기</translation>
    </message>
    <message>
        <source>No persona</source>
        <translation>페르소나 없음</translation>
    </message>
    <message>
        <source>Saved prompt</source>
        <translation>저장된 프롬프트</translation>
    </message>
    <message>
        <source>Save as a prompt</source>
        <translation>프롬프트로 저장</translation>
    </message>
    <message>
        <source>Personas</source>
        <translation>페르소나</translation>
    </message>
    <message>
        <source>Saved prompts</source>
        <translation>저장한 프롬프트</translation>
    </message>
</context>
<context>
    <name>SlashMenuView</name>
    <message>
        <source>Personas and saved prompts</source>
        <translation>페르소나와 저장된 프롬프트</translation>
    </message>
    <message>
        <source>Delete this prompt (Shift+Del)</source>
        <translation>이 프롬프트 삭제(Shift+Del)</translation>
    </message>
</context>
<context>
    <name>FirstRunModel</name>
    <message>
        <source>Use a model you have</source>
        <translation>가지고 있는 모델 사용</translation>
    </message>
    <message>
        <source>Choose another model</source>
        <translation>다른 모델 선택</translation>
    </message>
    <message>
        <source>Show models to download</source>
        <translation>다운로드할 모델 보기</translation>
    </message>
</context>
</TS>
