// Lets the user choose whether a revert reverses all changes of the range or only the changes of one session. Offers
// the sessions of this work tree.
import { computed, defineComponent, onMounted, shallowRef } from 'vue';
import type { InspectedSession } from '../own-methods.ts';
import { useChanging } from './state/changing.ts';
import { useLink } from './state/link.ts';
import { useTimeline } from './state/timeline.ts';
import { plainText } from './text.ts';

const promptMax = 40;

function wordsOf({ agent, firstPrompt, session }: InspectedSession, own: string): string {
  const name = plainText(agent);
  if (session === own) return `${name}, in this session`;
  return firstPrompt === undefined
    ? `${name}, ${session}`
    : `${name}, “${plainText(firstPrompt).slice(0, promptMax)}”`;
}

export const AuthorChoice = defineComponent(() => {
  const changing = useChanging();
  const link = useLink();
  const timeline = useTimeline();
  const sessions = shallowRef<readonly InspectedSession[]>([]);
  onMounted(async () => ({ sessions: sessions.value } = await link.ask('inspector/sessions', {})));
  /** The sessions from which the user can choose. The session that the page shows comes first. */
  const offered = computed(() => {
    const here = sessions.value.filter(({ workspace }) => workspace === timeline.info?.workspace);
    const isOwn = ({ session }: InspectedSession): number => (session === timeline.session ? 0 : 1);
    return here.toSorted((a, b) => isOwn(a) - isOwn(b));
  });
  return () => (
    <label class="author">
      <span>Whose work</span>
      <select
        id="author"
        value={changing.choices.author}
        onChange={(event) => (changing.choices.author = (event.target as HTMLSelectElement).value)}
      >
        <option value="">All work of this range</option>
        {offered.value.map((each) => (
          <option value={each.session}>{`Only ${wordsOf(each, timeline.session)}`}</option>
        ))}
      </select>
      {changing.choices.author === '' ? null : (
        <span class="dim">Only paths that no other session reported as written.</span>
      )}
    </label>
  );
});
