// Manages the list of the storage's sessions, from which several parts of the page let the user choose.
import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import type { InspectedSession } from '../../own-methods.ts';
import { LinkError } from '../wire.ts';
import { useLink } from './link.ts';

export const useSessions = defineStore('sessions', () => {
  const link = useLink();
  /** All sessions, the most recently used session first. Undefined until the list was read. */
  const all = shallowRef<readonly InspectedSession[]>();

  /** Reads the list. Ignores a lost connection: the page reads the list again after it has connected again. */
  async function read(): Promise<void> {
    try {
      all.value = (await link.ask('inspector/sessions', {})).sessions;
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
    }
  }
  return { all, read };
});
