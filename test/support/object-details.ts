// Lets uvu print an error whose `details` is an object, as that of a CheckpointdError. uvu expects a text: it calls
// `details.split('\n')`, and if this call fails, uvu ends the suite without a message. Load this file with --import.
import { inspect } from 'node:util';

// oxlint-disable-next-line no-extend-native -- uvu gives no other access to an error before it prints the error
Object.defineProperty(Object.prototype, 'split', {
  value(this: object, separator: string): string[] {
    return inspect(this).split(separator);
  },
  configurable: true,
  writable: true,
});
