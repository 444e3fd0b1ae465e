// Lets the user choose whether a revert reverses all changes of the range or only the changes of one session. Offers
// the sessions of this work tree.
import { computed, defineComponent, onMounted } from 'vue';
import type { InspectedSession } from '../own-methods.ts';
import { useChanging } from './state/changing.ts';
import { useSessions } from './state/sessions.ts';
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
  const [changing, timeline, sessions] = [useChanging(), useTimeline(), useSessions()];
  onMounted(() => void sessions.read());
  /** The sessions from which the user can choose. The session that the page shows comes first. */
  const offered = computed(() => {
    const here = sessions.all?.filter(({ workspace }) => workspace === timeline.info?.workspace) ?? [];
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
        <span class="dim">Only paths to which no other session reported a write.</span>
      )}
    </label>
  );
});
