/** A paste with these formats, as a page can make one. */
export function pasteEvent(formats: Readonly<Record<string, string>>): ClipboardEvent {
  const clipboardData = new DataTransfer();
  for (const [format, data] of Object.entries(formats)) clipboardData.setData(format, data);
  const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true });
  // Firefox takes no clipboard that a page has made.
  return Object.defineProperty(event, 'clipboardData', { value: clipboardData });
}
