<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ko_KR">
    <context>
        <name>AnswerFooter</name>
        <message>
            <source>Copy the answer as Markdown</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Answer again; this version is kept</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>ChatList</name>
        <message>
            <source>Chats</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>ChatRow</name>
        <message>
            <source>%1, being answered</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>%1, new answer</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>ChatRowContent</name>
        <message>
            <source>Rename or delete this chat</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>ChatRowMenu</name>
        <message>
            <source>Rename</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>F2</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Delete</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Del</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>Composer</name>
        <message>
            <source>Your message</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>ComposerBar</name>
        <message>
            <source>Cancel</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Send version</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Send</source>
            <translation>보내기</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Stop this answer (Esc); what is written stays</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>ContextMeter</name>
        <message>
            <source>Context used: %1 tokens</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Tokens of the conversation so far, of those the model can read at once</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>CopyButton</name>
        <message>
            <source>Copied</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Copy</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Copy code</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>LinkDialog</name>
        <message>
            <source>Open this link in your browser?</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>It comes from a model's answer and may lead anywhere.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Cancel</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Copy link</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Open</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>Main</name>
        <message>
            <source>Quire</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>%1 — Quire</source>
            <translation type="unfinished" />
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
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>Notice</name>
        <message>
            <source>Put this message away</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>PersonaCard</name>
        <message>
            <source>%1, chosen</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>PersonaMenu</name>
        <message>
            <source>No persona</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>RenameField</name>
        <message>
            <source>New name of the chat</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>Sidebar</name>
        <message>
            <source>Chats</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Quire</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>No chats yet. What you write is kept here, on this computer only.</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>StoreErrorPage</name>
        <message>
            <source>Your chats could not be opened</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Nothing was changed. Quire keeps nothing anywhere else, so it waits rather than begin without your chats.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Try again</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Quit</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>Timeline</name>
        <message>
            <source>Conversation</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Jump to latest</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>UndoButton</name>
        <message>
            <source>Undo</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>UserMessage</name>
        <message>
            <source>Copy your message</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Edit into a new version</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>VersionSwitch</name>
        <message>
            <source>Earlier version</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>%1 / %2</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Later version</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>WelcomeView</name>
        <message>
            <source>Begin a conversation</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Who answers</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>To begin with</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Ask: %1</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>quire</name>
        <message>
            <source>Not a single layer of the model fits into the GPU's free memory.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>%1 to %2 on %3</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Its layers are spread: %1.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>The conversation is not as it was from token %1 on.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>The persona changed, so all was read anew.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Older messages were left out, so those that stay were read anew once.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Message %1 changed, so it and what follows were read anew.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Other chats needed the memory, so the rest was read anew.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>%1 tok/s</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>%1 tokens read, none from cache</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>%1 of %2 from cache</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>%1 (%2 from disk)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>The prompt had %1 tokens. Nothing of it was known, so all were read.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>The prompt had %1 tokens: %2 were kept from before, %3 were read.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Of those kept, %1 came from disk.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Oldest message left out</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>%1 oldest messages left out</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>The chat is longer than the model can read at once. Nothing is deleted: what was left out stays here, but this answer was written without it.</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>quire::AnswerRun</name>
        <message>
            <source>The engine could not finish this answer.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Ended at the longest answer that is allowed.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Ended because the model's context is full. Your next message leaves the oldest ones out.</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>quire::AppModel</name>
        <message>
            <source>What is the capital of France?</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Tell me a short story about a fox</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>What is Quire?</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Make a list of five fruits</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Theme: light. Press for dark.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Theme: dark. Press to follow the system.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Theme: follows the system. Press for light.</source>
            <translation type="unfinished" />
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
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>quire::ChatListModel</name>
        <message>
            <source>New chat</source>
            <translation>새 대화</translation>
        </message>
        <message>
            <source>Today</source>
            <translation>오늘</translation>
        </message>
        <message>
            <source>Yesterday</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Earlier</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>d MMM</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>MMM yyyy</source>
            <translation type="unfinished" />
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
            <translation type="unfinished" />
        </message>
        <message>
            <source>Who answers in this chat</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Who answers in this chat. A change applies from the next answer on, and the conversation is read anew once.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Write a message</source>
            <translation>메시지를 쓰세요</translation>
        </message>
        <message>
            <source>Write a reply</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>No model is loaded: chats can be read, not continued.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Answering. You can already write what comes next.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Your edit becomes a new version; the old one is kept.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Enter sends, Shift+Enter begins a line</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Your message was not sent, because it could not be saved. %1</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>quire::ContextWatch</name>
        <message>
            <source>%1 / %2</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Too long for this model: %1 of %2 tokens. Shorten the message.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>The %1 oldest messages are left out to fit into %2 tokens.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Sending drops %1 more old messages to fit into %2 tokens.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Sending drops the oldest message to fit into %1 tokens.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Sending drops the %1 oldest messages to fit into %2 tokens.</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>quire::DataSession</name>
        <message>
            <source>Quire is already running with this folder. Use its window, or start Quire with --data and another folder.</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>quire::EngineService</name>
        <message>
            <source>Loading %1…</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>quire::EngineStatus</name>
        <message>
            <source>What the model runs on</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>%1 %2 %</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>%1 answers on this computer. Nothing you write leaves it.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>No model is loaded, so nothing can be asked now. What you write is kept.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>The model is being loaded. You can write already.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>You are talking to a small demonstration model that comes with Quire: quick, and often wrong. Load your own with quire --model PATH. Nothing you write leaves this computer.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Its files hold no chat format, so Quire writes the chat as plain text. It may be a model that only continues text.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Its files hold no chat format; by its special tokens Quire uses %1.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>No model</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Loading a model…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>%1 · demonstration model</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>The model did not load. The reason stands above the message field.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Reads %1 tokens at once</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>A tiny model trained for Quire, to show how it works. It knows little and errs often.
Load your own: quire --model PATH</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>1 chat</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>%1 chats</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>%1 tok/s · %2</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>quire::EngineWorker</name>
        <message>
            <source>Another model was loaded while this answer was being written. What there was is kept; regenerate it to have all of it.</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>quire::PersonaListModel</name>
        <message>
            <source>1 persona</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>%1 personas</source>
            <translation type="unfinished" />
        </message>
    </context>
    <context>
        <name>quire::TimelineModel</name>
        <message>
            <source>Waiting for its turn…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Reading the conversation…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Stopped before the first word.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Stopped by you.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <source>Cut off when Quire closed. What had been written is kept; regenerate for a whole answer.</source>
            <translation type="unfinished" />
        </message>
    </context>
</TS>
