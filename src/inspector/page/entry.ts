// Gets access to the server for the page. Exchanges the token in the fragment of the link for a secret, and removes the
// token from the browser's history at once. The page keeps the secret as long as the tab exists. The user can therefore
// reload the page, but every new tab needs its own link.

const kept = 'checkpointd-secret';

/** Returns the secret of this tab. Returns undefined when the tab has neither a secret nor a valid link. */
export async function enteredSecret(): Promise<string | undefined> {
  const token = location.hash.slice(1);
  if (location.hash !== '') history.replaceState(null, '', location.pathname);
  if (token === '') return sessionStorage.getItem(kept) ?? undefined;
  const answer = await fetch('/enter', { method: 'POST', body: token, credentials: 'same-origin' });
  if (!answer.ok) return undefined;
  const { secret } = (await answer.json()) as { readonly secret: string };
  sessionStorage.setItem(kept, secret);
  return secret;
}
