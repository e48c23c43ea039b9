<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>PaneCountButton</name>
    <message numerus="yes">
        <source>%n pane(s)</source>
        <translation>
            <numerusform>%n pane</numerusform>
            <numerusform>%n panes</numerusform>
        </translation>
    </message>
</context>
</TS>
