// WebKitGTK leaves these keys to the program around it, and its MiniBrowser has none for them.
addEventListener('keydown', (event) => {
  const { key, ctrlKey, shiftKey, defaultPrevented } = event;
  if (!ctrlKey || defaultPrevented || key.toLowerCase() !== 'z') return;
  document.execCommand(shiftKey ? 'redo' : 'undo');
});
