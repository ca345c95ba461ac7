import { expect, test } from 'vitest';
import { chooseMicrophone } from '../../src/core/session/microphone-choice.ts';

const builtIn = { deviceId: 'a', label: 'Built-in Audio' };
const webcam = { deviceId: 'b', label: 'USB Webcam' };
const jabra = { deviceId: 'c', label: 'JABRA Speak 510 MS' };
const tonor = { deviceId: 'd', label: 'usb audio (Tonor TC-777)' };

test.each([
  ['Jabra Speak in any case', [builtIn, jabra, webcam], jabra],
  ['Tonor anywhere in the label', [builtIn, webcam, tonor], tonor],
  ['the first of several preferred ones', [builtIn, tonor, jabra], tonor],
  ['the first when none is preferred', [webcam, builtIn], webcam],
  [
    'the first when labels are not known',
    [{ deviceId: '', label: '' }],
    { deviceId: '', label: '' },
  ],
  ['none when there is none', [], null],
])('chooses %s', (_name, devices, expected) => {
  expect(chooseMicrophone(devices)).toEqual(expected);
});

test('a Jabra that is no Speak is not preferred', () => {
  const headset = { deviceId: 'e', label: 'Jabra Evolve2 65' };
  expect(chooseMicrophone([builtIn, headset])).toBe(builtIn);
});

test('what the user pinned goes before what is preferred', () => {
  expect(chooseMicrophone([builtIn, jabra, webcam], 'b')).toBe(webcam);
});

test('a pinned microphone that is gone is chosen for as if none were pinned', () => {
  expect(chooseMicrophone([builtIn, jabra], 'gone')).toBe(jabra);
});
