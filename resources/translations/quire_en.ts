<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>PaneSwitch</name>
    <message numerus="yes">
        <source>Layout: %n pane(s)</source>
        <translation>
            <numerusform>Layout: %n pane</numerusform>
            <numerusform>Layout: %n panes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pane(s)</source>
        <translation>
            <numerusform>%n pane</numerusform>
            <numerusform>%n panes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::AnswerNotifier</name>
    <message numerus="yes">
        <source>%n answer(s) ready</source>
        <translation>
            <numerusform>%n answer ready</numerusform>
            <numerusform>%n answers ready</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::BackupListModel</name>
    <message numerus="yes">
        <source>%Ln chat(s)</source>
        <translation>
            <numerusform>%Ln chat</numerusform>
            <numerusform>%Ln chats</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::ChatLibrary</name>
    <message numerus="yes">
        <source>%n chat(s)</source>
        <translation>
            <numerusform>%n chat</numerusform>
            <numerusform>%n chats</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::ChatListModel</name>
    <message numerus="yes">
        <source>%n chat(s) selected</source>
        <translation>
            <numerusform>%n chat selected</numerusform>
            <numerusform>%n chats selected</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::ChatMessages</name>
    <message numerus="yes">
        <source>%n message(s) deleted.</source>
        <translation>
            <numerusform>%n message deleted.</numerusform>
            <numerusform>%n messages deleted.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::ChatTurns</name>
    <message numerus="yes">
        <source>Kept this answer; %n other answer(s) deleted.</source>
        <translation>
            <numerusform>Kept this answer; %n other answer deleted.</numerusform>
            <numerusform>Kept this answer; %n other answers deleted.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::ComposerModel</name>
    <message numerus="yes">
        <source>%n chat(s) still answering.</source>
        <translation>
            <numerusform>%n chat still answering.</numerusform>
            <numerusform>%n chats still answering.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::ContextWatch</name>
    <message numerus="yes">
        <source>%n oldest message(s) left out to fit the %1-token context.</source>
        <translation>
            <numerusform>%n oldest message left out to fit the %1-token context.</numerusform>
            <numerusform>%n oldest messages left out to fit the %1-token context.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Sending will leave out %n older message(s) to fit the %1-token context.</source>
        <translation>
            <numerusform>Sending will leave out %n older message to fit the %1-token context.</numerusform>
            <numerusform>Sending will leave out %n older messages to fit the %1-token context.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::DataTransfer</name>
    <message numerus="yes">
        <source>Added %n chat(s).</source>
        <translation>
            <numerusform>Added %n chat.</numerusform>
            <numerusform>Added %n chats.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Completed %n chat(s).</source>
        <translation>
            <numerusform>Completed %n chat.</numerusform>
            <numerusform>Completed %n chats.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Nothing new: you already have %n chat(s).</source>
        <translation>
            <numerusform>Nothing new: you already have %n chat.</numerusform>
            <numerusform>Nothing new: you already have %n chats.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>You already had %n chat(s).</source>
        <translation>
            <numerusform>You already had %n chat.</numerusform>
            <numerusform>You already had %n chats.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::DownloadList</name>
    <message numerus="yes">
        <source>%n download(s)</source>
        <translation>
            <numerusform>%n download</numerusform>
            <numerusform>%n downloads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::DuplicateList</name>
    <message numerus="yes">
        <source>%n model(s) more than once. Keeping one copy of each frees %1.</source>
        <translation>
            <numerusform>%n model more than once. Keeping one copy frees %1.</numerusform>
            <numerusform>%n models more than once. Keeping one copy of each frees %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n model(s) could not be read.</source>
        <translation>
            <numerusform>%n model could not be read.</numerusform>
            <numerusform>%n models could not be read.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::EndpointEditor</name>
    <message numerus="yes">
        <source>It works and has %n model(s).</source>
        <translation>
            <numerusform>It works and has %n model.</numerusform>
            <numerusform>It works and has %n models.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::EngineLabels</name>
    <message numerus="yes">
        <source>%Ln chat(s)</source>
        <translation>
            <numerusform>%Ln chat</numerusform>
            <numerusform>%Ln chats</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln block(s)</source>
        <translation>
            <numerusform>%Ln block</numerusform>
            <numerusform>%Ln blocks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::FirstRun</name>
    <message numerus="yes">
        <source>%n model(s) found on this computer.</source>
        <translation>
            <numerusform>%n model found on this computer.</numerusform>
            <numerusform>%n models found on this computer.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::FooterTextTexts</name>
    <message numerus="yes">
        <source>%n oldest message(s) left out</source>
        <translation>
            <numerusform>%n oldest message left out</numerusform>
            <numerusform>%n oldest messages left out</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::GenerationEditor</name>
    <message numerus="yes">
        <source>%n changed</source>
        <translation>
            <numerusform>%n changed</numerusform>
            <numerusform>%n changed</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::GetLabels</name>
    <message numerus="yes">
        <source>%Ln download(s)</source>
        <translation>
            <numerusform>%Ln download</numerusform>
            <numerusform>%Ln downloads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::ModelLabels</name>
    <message numerus="yes">
        <source>%n second(s) left</source>
        <translation>
            <numerusform>%n second left</numerusform>
            <numerusform>%n seconds left</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s) left</source>
        <translation>
            <numerusform>%n minute left</numerusform>
            <numerusform>%n minutes left</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::ModelLibrary</name>
    <message numerus="yes">
        <source>%n model(s)</source>
        <translation>
            <numerusform>%n model</numerusform>
            <numerusform>%n models</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) skipped</source>
        <translation>
            <numerusform>%n file skipped</numerusform>
            <numerusform>%n files skipped</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n model(s) removed from this list</source>
        <translation>
            <numerusform>%n model removed from this list</numerusform>
            <numerusform>%n models removed from this list</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::ModelRemoval</name>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation>
            <numerusform>%n file</numerusform>
            <numerusform>%n files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) always use it</source>
        <translation>
            <numerusform>%n chat always uses it</numerusform>
            <numerusform>%n chats always use it</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::OllamaStoreTexts</name>
    <message numerus="yes">
        <source>%n name(s) in Ollama share this file. Remove them with: %1</source>
        <translation>
            <numerusform>%n name in Ollama uses this file. Remove it with: %1</numerusform>
            <numerusform>%n names in Ollama share this file. Remove them with: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::PersonaLabels</name>
    <message numerus="yes">
        <source>%Ln token(s)</source>
        <translation>
            <numerusform>%Ln token</numerusform>
            <numerusform>%Ln tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s)</source>
        <translation>
            <numerusform>%Ln chat</numerusform>
            <numerusform>%Ln chats</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::PersonaListModel</name>
    <message numerus="yes">
        <source>%n persona(s)</source>
        <translation>
            <numerusform>%n persona</numerusform>
            <numerusform>%n personas</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::QuitGuard</name>
    <message numerus="yes">
        <source>%n message(s) not saved yet</source>
        <translation>
            <numerusform>%n message not saved yet</numerusform>
            <numerusform>%n messages not saved yet</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Quit and lose %n message(s)</source>
        <translation>
            <numerusform>Quit and lose %n message</numerusform>
            <numerusform>Quit and lose %n messages</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::RemoteTexts</name>
    <message numerus="yes">
        <source>%1 takes no more requests now, and asks to wait %n second(s).</source>
        <translation>
            <numerusform>%1 takes no more requests now, and asks to wait %n second.</numerusform>
            <numerusform>%1 takes no more requests now, and asks to wait %n seconds.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::SettingsSearch</name>
    <message numerus="yes">
        <source>%n setting(s) found</source>
        <translation>
            <numerusform>%n setting found</numerusform>
            <numerusform>%n settings found</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::SpokenDownloads</name>
    <message numerus="yes">
        <source>%n model(s) found</source>
        <translation>
            <numerusform>%n model found</numerusform>
            <numerusform>%n models found</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n model(s) to download</source>
        <translation>
            <numerusform>%n model to download</numerusform>
            <numerusform>%n models to download</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>quire::StoreRescue</name>
    <message numerus="yes">
        <source>%n chat(s) can still be listed. Whatever you choose, the damaged file is kept.</source>
        <translation>
            <numerusform>%n chat can still be listed. Whatever you choose, the damaged file is kept.</numerusform>
            <numerusform>%n chats can still be listed. Whatever you choose, the damaged file is kept.</numerusform>
        </translation>
    </message>
</context>
</TS>
