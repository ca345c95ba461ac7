'use client';
import { DictationField, useDictation } from 'diktera/react';

export function Note() {
  const dictation = useDictation();
  return <DictationField dictation={dictation} label="Anteckning" as="textarea" />;
}
