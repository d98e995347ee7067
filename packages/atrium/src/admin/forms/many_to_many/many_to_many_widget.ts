import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { MOST_RELATED, type WantedRelated } from '#crud/internals'
import { fromQuery } from '#base/values/from_query'
import { TooManyValues } from '../../http/errors.js'
import type { Site } from '../../views/site.js'
import type { ModelView } from '../../views/model_view.js'
import { attachedRecords, type Attached, type ManyToMany } from '../../relations/many_to_many.js'
import { titlesOf } from '../../relations/references.js'
import { shorten } from '../../text/plain_text.js'
import { type Choice, Widget } from '../../views/widget.js'
import { choicesOf } from '../fields/choices.js'

/** The keys that a form submitted for a many-to-many field, as texts. */
interface SentKeys {
  chosen: string[]
  /** The initial keys of the form; undefined if they were not submitted */
  shown: string[] | undefined
}

/** Suffix of the hidden input with the initial keys of the form, as JSON. */
const SHOWN = '.__shown'

/** Suffix of the input in which keys are entered, separated by commas. */
const ADD = '.__add'

/* Maximum number of submitted keys; more are rejected without showing the form again. */
const MOST_SENT = 2 * MOST_RELATED

/* Prefix of the first text, which contains the initial keys; no key starts with it */
const STATE = 'shown='

/**
 * Reads the field from all submitted inputs.
 *
 * @returns texts of the field; undefined if the form does not contain it
 * @throws TooManyValues  for more than `MOST_SENT` keys
 */
export function collectKeys(
  name: string,
  sent: ReadonlyMap<string, readonly string[]>
): string[] | undefined {
  const chosen = sent.get(name)
  const typed = sent.get(name + ADD)
  const shown = sent.get(name + SHOWN)
  if (!chosen && !typed) return undefined
  const keys = [...(chosen ?? []), ...(typed ?? []).flatMap((text) => text.split(/[,\s]+/))]
  const distinct = new Set(keys.map((key) => key.trim()).filter((key) => key !== ''))
  if (distinct.size > MOST_SENT) throw new TooManyValues()
  return textsOf({
    chosen: [...distinct],
    shown: shown && parseList(shown.at(-1)!),
  })
}

/** Serializes the keys as texts of the field. */
function textsOf({ chosen, shown }: SentKeys): string[] {
  return [STATE + (shown ? JSON.stringify(shown) : ''), ...chosen]
}

export function keysIn(texts: readonly string[]): SentKeys {
  const [first = '', ...rest] = texts
  /* The URL of a create page can contain keys without the first text. */
  if (!first.startsWith(STATE)) return { chosen: [...texts], shown: undefined }
  return { chosen: rest, shown: parseList(first.slice(STATE.length)) }
}

function parseList(json: string): string[] | undefined {
  try {
    const list: unknown = JSON.parse(json)
    return Array.isArray(list) ? list.map(String) : undefined
  } catch {
    return undefined
  }
}

/* Maximum number of checkboxes; longer lists are searched. */
const MOST_BOXES = 20

const LONGEST_KEY = 80

/**
 * The records that are attached to a record: checkboxes if there are few, otherwise the selected records and a search
 * field.
 */
export class ManyToManyWidget extends Widget {
  readonly template: string = 'admin/partials/fields/many_to_many'
  readonly sheet: string = 'many_to_many.css'
  readonly isGroup = true
  readonly describesChanges = true
  #attached: Promise<Attached> | undefined

  /**
   * @param view  view of the form
   * @param many  the relation, limited to what the signed-in user can see
   */
  constructor(
    protected readonly ctx: HttpContext,
    protected readonly site: Site,
    protected readonly view: ModelView,
    readonly many: ManyToMany
  ) {
    super()
  }

  collect(name: string, sent: ReadonlyMap<string, readonly string[]>): string[] | undefined {
    return collectKeys(name, sent)
  }

  /** @throws Error  for an invalid key, or too many keys */
  read(texts: string[]): WantedRelated {
    const { chosen, shown } = keysIn(texts)
    const { label } = this.many
    if (chosen.length > MOST_RELATED) {
      const sent = { label, count: chosen.length, most: MOST_RELATED }
      throw new Error(this.site.text('manyToMany.tooMany', sent))
    }
    const { target } = this.many.reference
    const keys = chosen.map((text) => fromQuery(target, text))
    const wrong = keys.indexOf(null)
    if (wrong >= 0) {
      const key = shorten(chosen[wrong], LONGEST_KEY)
      throw new Error(this.site.text('manyToMany.noKey', { label, key }))
    }
    const begun = shown?.map((text) => fromQuery(target, text)).filter((key) => key !== null)
    return begun ? { keys, shown: begun } : { keys }
  }

  /** Returns the initial texts of a record's form. */
  async stored(record: LucidRow): Promise<string[]> {
    const keys = await this.keysOf(record)
    return textsOf({ chosen: keys, shown: keys })
  }

  async keysOf(record: LucidRow): Promise<string[]> {
    const { records } = await this.attachedTo(record)
    return records.map(({ value }) => value)
  }

  /** Returns false if more records are attached than a form can submit. */
  async takes(record: LucidRow): Promise<boolean> {
    const { isMore } = await this.attachedTo(record)
    return !isMore
  }

  /** Returns the texts of the records attached to a record, for a form that copies it. */
  async copied(record: LucidRow): Promise<string[]> {
    return await this.keysOf(record)
  }

  /** Returns the attached records; cached, as a widget is used for one record only. */
  protected attachedTo(record: LucidRow): Promise<Attached> {
    this.#attached ??= attachedRecords(this.ctx, this.view, this.many, record, MOST_RELATED)
    return this.#attached
  }

  async data(ctx: HttpContext, name: string, texts: string[]) {
    const { chosen, shown } = keysIn(texts)
    const { reference } = this.many
    const found = await choicesOf(ctx, reference)
    const isSearched = found.length > MOST_BOXES
    const listed = isSearched ? [] : found
    const known = new Set(listed.map(({ value }) => value))
    const others = chosen.filter((value) => !known.has(value))
    const titles = await titlesOf(ctx, reference, others)
    const choices: Choice[] = [
      ...others.map((value) => ({ value, label: titles.get(value) ?? value })),
      ...listed,
    ]
    const isChosen = new Set(chosen)
    return {
      choices: choices.map((choice) => ({ ...choice, selected: isChosen.has(choice.value) })),
      shown: { name: name + SHOWN, value: JSON.stringify(shown ?? []) },
      isEmpty: choices.length === 0 && !isSearched,
      add: isSearched
        ? { name: name + ADD, url: this.view.url(`/choices/${encodeURIComponent(name)}`) }
        : undefined,
    }
  }
}
