import { afterEach, expect, onTestFinished, vi } from 'vitest';
import { browserCapturePorts } from '../../src/capture/capture-ports.ts';
import { devTools } from '../helpers/dev-tools.ts';
import { inChromium } from '../helpers/engine.ts';

/** Sets the microphone permission as in the browser's settings. */
async function setMicrophone(setting: PermissionState): Promise<void> {
  const asked = await devTools().send('Target.getTargetInfo', {});
  const { targetInfo } = asked as { readonly targetInfo: { readonly browserContextId: string } };
  await devTools().send('Browser.setPermission', {
    permission: { name: 'microphone' },
    setting,
    origin: location.origin,
    browserContextId: targetInfo.browserContextId,
  });
}

const permission = (): Promise<PermissionState> => browserCapturePorts().queryPermission();

afterEach(() => vi.restoreAllMocks());

inChromium(
  'Chromium, which keeps every answer, is asked for the permission once, and it is known when it changes',
  async () => {
    onTestFinished(() => setMicrophone('granted'));
    expect(await permission()).toBe('granted');
    const asked = vi.spyOn(navigator.permissions, 'query');
    await setMicrophone('denied');
    await expect.poll(permission).toBe('denied');
    await setMicrophone('granted');
    await expect.poll(permission).toBe('granted');
    expect(asked).not.toHaveBeenCalled();
  },
);
