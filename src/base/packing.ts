// Small values as bytes, for what is kept in great numbers: a record of twenty fields is an object of a kilobyte or
// two on the heap and a hundred bytes here. Values are read back in the order in which they were written; it knows
// no types and no versions, so nothing packed is ever stored on disk.
import { invariant } from './invariant.ts';

const hexPattern = /^(?:[0-9a-f]{2})+$/;
const blockBytes = 16_384;
/** Addresses that a block takes up: more than the largest buffer has bytes. */
const blockSpan = 2 ** 33;
const lengthBytes = 4;
const wasteMin = 65_536;

/** Writes values one after another into a buffer that grows. */
export class PackWriter {
  #bytes = Buffer.allocUnsafe(512);
  #length = 0;

  /** An integer from 0 to 2^53 - 1; small ones take one byte. */
  integer(value: number): void {
    invariant(Number.isSafeInteger(value) && value >= 0, 'packed integers are not negative');
    this.#reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** Any string: one byte a character as far as it goes, two otherwise, so that every code unit survives. */
  text(value: string): void {
    const isNarrow = !/[\u0100-\uffff]/.test(value);
    this.integer(value.length * 2 + (isNarrow ? 0 : 1));
    this.#raw(value, isNarrow ? 'latin1' : 'utf16le', isNarrow ? value.length : value.length * 2);
  }

  /** A string that usually is hexadecimal digits, which then take half a byte each. */
  digits(value: string): void {
    const isHex = value.length < 128 && hexPattern.test(value);
    this.integer(isHex ? value.length / 2 : 0);
    if (isHex) this.#raw(value, 'hex', value.length / 2);
    else this.text(value);
  }

  get length(): number {
    return this.#length;
  }

  /** Hands what was written over and begins anew. */
  moveTo(target: Buffer, offset: number): void {
    this.#bytes.copy(target, offset, 0, this.#length);
    this.#length = 0;
  }

  #raw(value: string, encoding: 'latin1' | 'utf16le' | 'hex', bytes: number): void {
    this.#reserve(bytes);
    this.#bytes.write(value, this.#length, bytes, encoding);
    this.#length += bytes;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe((this.#length + bytes) * 2);
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Reads what a {@link PackWriter} wrote, from any offset on. */
export class PackReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  integer(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.#bytes[this.#at++] ?? 0;
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
    }
  }

  text(): string {
    const head = this.integer();
    const isNarrow = head % 2 === 0;
    const length = Math.floor(head / 2);
    return this.#raw(isNarrow ? 'latin1' : 'utf16le', isNarrow ? length : length * 2);
  }

  digits(): string {
    const bytes = this.integer();
    return bytes === 0 ? this.text() : this.#raw('hex', bytes);
  }

  #raw(encoding: 'latin1' | 'utf16le' | 'hex', bytes: number): string {
    this.#at += bytes;
    return this.#bytes.toString(encoding, this.#at - bytes, this.#at);
  }
}

/** Byte strings kept end to end in a few large buffers. An address is a number; what is dropped only counts. */
export class PackedBytes {
  readonly #blocks: Buffer[] = [];
  #free = 0;
  #live = 0;
  #dropped = 0;

  /** More than half of a large enough whole is dropped: whoever holds the addresses should copy the rest anew. */
  get isWasteful(): boolean {
    return this.#dropped > wasteMin && this.#dropped > this.#live;
  }

  /** Keeps what the writer holds and gives its address. */
  add(writer: PackWriter): number {
    const length = writer.length;
    if (length + lengthBytes > this.#free) {
      this.#free = Math.max(blockBytes, length + lengthBytes);
      this.#blocks.push(Buffer.allocUnsafeSlow(this.#free));
    }
    const block = this.#blocks.at(-1);
    invariant(block !== undefined, 'there is a block by now');
    const offset = block.length - this.#free;
    block.writeUInt32LE(length, offset);
    writer.moveTo(block, offset + lengthBytes);
    this.#free -= length + lengthBytes;
    this.#live += length;
    return (this.#blocks.length - 1) * blockSpan + offset;
  }

  reader(address: number): PackReader {
    return new PackReader(this.#blockOf(address), (address % blockSpan) + lengthBytes);
  }

  /** These bytes are not looked at again. */
  drop(address: number): void {
    const length = this.#blockOf(address).readUInt32LE(address % blockSpan);
    this.#live -= length;
    this.#dropped += length;
  }

  #blockOf(address: number): Buffer {
    const block = this.#blocks[Math.floor(address / blockSpan)];
    invariant(block !== undefined, 'an address comes from add');
    return block;
  }
}
