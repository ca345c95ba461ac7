import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { createEditor, Editor, Node, Transforms } from 'slate';
import { withHistory } from 'slate-history';
import { Editable, Slate, withReact } from 'slate-react';
import { onTestFinished } from 'vitest';

/** An editor of Slate, as its own documentation sets it up; its text as its model has it. */
export function mountSlate(host: HTMLElement) {
  const editor = withHistory(withReact(createEditor()));
  const root = createRoot(host);
  flushSync(() =>
    root.render(
      <Slate editor={editor} initialValue={[{ children: [{ text: '' }] }]}>
        <Editable />
      </Slate>,
    ),
  );
  onTestFinished(() => root.unmount());
  return {
    element: host.querySelector<HTMLElement>('[data-slate-editor]')!,
    text: () => editor.children.map((each) => Node.string(each)).join('\n'),
    moveCaretToEnd: () => Transforms.select(editor, Editor.end(editor, [])),
  };
}
