import {
  ALL_SITES,
  askTab,
  FRAME_SCRIPT,
  type OffscreenCommand,
  type PanelReason,
  type Question,
  reachTab,
} from './messages.ts';
import { frameSettings, readSettings } from './settings.ts';
import { extensionStrings } from './strings.ts';

/*
 * Passes messages, starts the offscreen document, shows the badge. Chrome ends it after 30 s without
 * work, so that it holds nothing: what is to be known is asked for, or stored.
 */

const OFFSCREEN = 'offscreen.html';
const RED = '#b3261e';

/** Two frames may want it at once, and Chrome allows one. */
let starting: Promise<void> | null = null;

async function hasOffscreen(): Promise<boolean> {
  const contexts = await chrome.runtime.getContexts({ contextTypes: ['OFFSCREEN_DOCUMENT'] });
  return contexts.length > 0;
}

async function startOffscreen(): Promise<void> {
  if (!(await hasOffscreen())) {
    await showRecording(false);
    await chrome.offscreen.createDocument({
      url: OFFSCREEN,
      reasons: ['USER_MEDIA'],
      justification: 'Records what is dictated, keeps it and sends it to the chosen server.',
    });
    // The worker before this one may have been ended right behind that.
  } else if ((await tellOffscreen({ kind: 'offscreen-ready' })) === true) return;
  if (!(await sendSettings())) throw new Error('The offscreen document took no settings');
}

function wake(): Promise<void> {
  starting ??= startOffscreen().finally(() => {
    starting = null;
  });
  return starting;
}

async function tellOffscreen(command: OffscreenCommand): Promise<unknown> {
  return chrome.runtime.sendMessage(command).catch(() => null);
}

async function sendSettings(): Promise<boolean> {
  const { settings } = await readSettings();
  return (await tellOffscreen({ kind: 'offscreen-settings', settings })) === true;
}

async function passSettings(): Promise<void> {
  if (await hasOffscreen()) await sendSettings();
}

async function showRecording(isRecording: boolean): Promise<void> {
  const { title, recording } = extensionStrings().action;
  await chrome.action.setBadgeText({ text: isRecording ? '●' : '' });
  await chrome.action.setBadgeBackgroundColor({ color: RED });
  await chrome.action.setTitle({ title: isRecording ? recording : title });
}

/** Ends what is recorded anywhere, else starts in the field that has the focus, else without one. */
async function toggle(tabId: number | undefined): Promise<void> {
  if ((await hasOffscreen()) && (await tellOffscreen({ kind: 'offscreen-stop' })) === true) return;
  const answer = await askTab(tabId, { kind: 'toggle' });
  if (answer !== true) await startWithoutField(tabId, answer === 'drawn' ? 'drawn' : 'no-field');
}

/** The page shows what is said; a page of the browser's own cannot, and the popup's list does. */
async function startWithoutField(tabId: number | undefined, why: PanelReason): Promise<void> {
  if ((await askTab(tabId, { kind: 'panel', why }, { frameId: 0 })) === true) return;
  await wake();
  await tellOffscreen({ kind: 'offscreen-start' });
}

/** The key in a field of a page that draws its text itself. */
async function withoutField(
  wish: 'toggle' | 'end',
  sender: chrome.runtime.MessageSender,
): Promise<void> {
  const isEnded =
    (await hasOffscreen()) && (await tellOffscreen({ kind: 'offscreen-stop' })) === true;
  if (!isEnded && wish === 'toggle') await startWithoutField(sender.tab?.id, 'drawn');
}

/** Shows the page that asks for the microphone: no other document of an extension can. */
async function askForMicrophone(): Promise<void> {
  const url = chrome.runtime.getURL('options.html');
  const [open] = await chrome.tabs.query({ url: `${url}*` }).catch(() => []);
  if (open?.id !== undefined) await chrome.tabs.update(open.id, { active: true });
  else await chrome.tabs.create({ url: `${url}#microphone` });
}

/** Two events may come at once, and a script is registered once. */
let following: Promise<void> = Promise.resolve();

/** Has a script in every frame where the person wants that, open pages included, and nowhere else. */
function followAccess(): Promise<void> {
  following = following.then(register).catch((error) => {
    console.error('Diktera: the frames could not be reached', error);
  });
  return following;
}

async function register(): Promise<void> {
  const isWanted = await chrome.permissions.contains(ALL_SITES);
  const isThere = (await chrome.scripting.getRegisteredContentScripts()).length > 0;
  if (isWanted === isThere) return;
  if (!isWanted) return chrome.scripting.unregisterContentScripts({ ids: [FRAME_SCRIPT] });
  await chrome.scripting.registerContentScripts([
    {
      id: FRAME_SCRIPT,
      js: [FRAME_SCRIPT],
      matches: ALL_SITES.origins,
      allFrames: true,
      matchOriginAsFallback: true,
      // Before the page's own scripts, so that nothing of the page hears a key or a focus first.
      runAt: 'document_start',
    },
  ]);
  for (const { id } of await chrome.tabs.query({}))
    if (id !== undefined) await reachTab(id).catch(() => {});
}

function hostOf(address: string | undefined): string {
  return address && URL.canParse(address) ? new URL(address).host : '';
}

async function answerTo(
  question: Question,
  sender: chrome.runtime.MessageSender,
): Promise<unknown> {
  switch (question.kind) {
    case 'wake':
      await wake();
      return true;
    case 'frame-settings': {
      const { settings } = await readSettings({ isForShow: true });
      // A sandboxed page has no origin, and is its site's all the same.
      return frameSettings(settings, hostOf(sender.origin) || hostOf(sender.url));
    }
    case 'recording':
      await showRecording(question.isRecording);
      return null;
    case 'microphone-denied':
      await askForMicrophone();
      return null;
    case 'without-field':
      await withoutField(question.wish, sender);
      return null;
  }
}

const KINDS: readonly string[] = [
  ...['wake', 'frame-settings', 'recording', 'microphone-denied', 'without-field'],
];

chrome.runtime.onMessage.addListener((message, sender, answer) => {
  const question = message as Question;
  if (sender.id !== chrome.runtime.id || !KINDS.includes(question.kind)) return;
  // The offscreen document is in no tab.
  const isOffscreens = question.kind === 'recording' || question.kind === 'microphone-denied';
  if (isOffscreens && sender.tab) return;
  answerTo(question, sender).then(answer, (error) => {
    console.error(`Diktera: ${question.kind} was not answered`, error);
    answer(null);
  });
  return true;
});

chrome.commands.onCommand.addListener((command, tab) => {
  if (command === 'dictate') void toggle(tab?.id);
});

chrome.storage.onChanged.addListener((_changes, area) => {
  if (area !== 'session') void passSettings();
});

// The address and the token are not for scripts beside pages.
void chrome.storage.local.setAccessLevel({ accessLevel: 'TRUSTED_CONTEXTS' });

for (const event of [chrome.permissions.onAdded, chrome.permissions.onRemoved])
  event.addListener(() => void followAccess());
void followAccess();

chrome.runtime.onInstalled.addListener(({ reason }) => {
  if (reason === 'install') void chrome.runtime.openOptionsPage();
});
