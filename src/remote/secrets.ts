// Finds secrets in the contents of files. Recognises a secret by its format, which the issuer of the secret has
// documented. When in doubt, this module reports a secret. The user can still push the file by naming its path.

interface Rule {
  readonly name: string;
  readonly form: RegExp;
}

/** The rules, one for each format. {@link beginnings} must match the beginning of every format. */
const rules: readonly Rule[] = [
  { name: 'privateKey', form: /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/ },
  { name: 'puttyKey', form: /PuTTY-User-Key-File-\d/ },
  { name: 'awsKey', form: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/ },
  { name: 'githubToken', form: /\b(?:gh[pousr]_[0-9A-Za-z]{36,255}|github_pat_[0-9A-Za-z_]{60,255})\b/ },
  { name: 'gitlabToken', form: /\bglpat-[0-9A-Za-z_-]{20,}/ },
  { name: 'slackToken', form: /\bxox[abeoprs]-[0-9A-Za-z-]{10,}/ },
  { name: 'slackHook', form: /hooks\.slack\.com\/services\/T[0-9A-Z]{6,}\/B[0-9A-Z]{6,}\/[0-9A-Za-z]{20,}/ },
  { name: 'googleKey', form: /\bAIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])/ },
  { name: 'anthropicKey', form: /\bsk-ant-[0-9A-Za-z_-]{20,}/ },
  { name: 'openaiKey', form: /\bsk-(?:proj-|svcacct-)?[0-9A-Za-z_-]{20,}T3BlbkFJ[0-9A-Za-z_-]{20,}/ },
  { name: 'stripeKey', form: /\b(?:sk|rk)_live_[0-9A-Za-z]{16,}/ },
  { name: 'npmToken', form: /\bnpm_[0-9A-Za-z]{36}\b/ },
  { name: 'pypiToken', form: /\bpypi-AgE[0-9A-Za-z_-]{50,}/ },
  { name: 'sendgridKey', form: /\bSG\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}\b/ },
  { name: 'huggingFaceToken', form: /\bhf_[0-9A-Za-z]{34}\b/ },
];

/** Matches the beginnings of all formats. For most contents without secrets, this one search is enough. */
const beginnings =
  /-----BEGIN |PuTTY-User-Key|AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|hooks\.slack\.com|AIza|sk-|[sr]k_live_|npm_|pypi-AgE|SG\.|hf_/;

/** The maximum size in bytes of a content that is scanned. A larger content is usually data and not a settings file. */
export const scannedBytesMax = 1 << 20;

/** Returns the name of the first rule that finds a secret in a content. */
export function secretIn(bytes: Uint8Array): string | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.subarray(0, 8000).includes(0)) return undefined;
  const text = buffer.toString('latin1');
  return beginnings.test(text) ? rules.find(({ form }) => form.test(text))?.name : undefined;
}
