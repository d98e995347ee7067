import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Operation } from '#crud'
import { Records } from '#crud/operations/records'
import type { KeyValue } from '#crud/resource/key'
import type { ModelView } from '../model_view.js'
import type { Action } from '../view_options.js'

/** What a page may offer: the actions of a view, and deleting for good. */
export type Offer = Action | 'purge'

const OPERATIONS: Record<Offer, Operation> = {
  view: 'read_multi',
  create: 'create',
  update: 'update',
  delete: 'delete',
  purge: 'db_delete',
}

/* A page asks the same several times: for the sidebar, a button and a link. */
const ANSWERS = new WeakMap<HttpContext, Map<string, Promise<boolean>>>()

/**
 * The one question that every page, button and link asks before it offers something: may this person do
 * it with the model, or with this record of it? What is offered wrongly is still refused: whatever is
 * done asks the policy itself. [P14, B13, B14]
 *
 * @param record  without one: with the model at all
 */
export async function may(
  ctx: HttpContext,
  view: ModelView,
  offer: Offer,
  record?: LucidRow
): Promise<boolean> {
  if (!view.may(offer === 'purge' ? 'delete' : offer) || !view.admits(ctx)) return false
  if (!view.resource.policy) return true
  if (record) return await allows(ctx, view, offer, record)

  const answers = ANSWERS.get(ctx) ?? new Map<string, Promise<boolean>>()
  ANSWERS.set(ctx, answers)
  const id = `${view.name} ${offer}`
  let answer = answers.get(id)
  if (!answer) answers.set(id, (answer = allows(ctx, view, offer)))
  return await answer
}

/**
 * All that the signed-in user may do with the model.
 */
export async function offersOf(ctx: HttpContext, view: ModelView): Promise<ReadonlySet<Offer>> {
  const offers = Object.keys(OPERATIONS) as Offer[]
  const answers = await Promise.all(offers.map((offer) => may(ctx, view, offer)))
  return new Set(offers.filter((_, index) => answers[index]))
}

/**
 * The same of several records at once, by their keys. They are read only where the policy looks at
 * records; of one that is not there nothing is allowed.
 *
 * @returns whether it may be done with the record of a key
 */
export async function mayEach(
  ctx: HttpContext,
  view: ModelView,
  offer: Offer,
  keys: readonly KeyValue[]
): Promise<(key: KeyValue) => boolean> {
  if (keys.length === 0) return () => false
  if (!looksAtRecords(view)) {
    const isAllowed = await may(ctx, view, offer)
    return () => isAllowed
  }
  if (!view.may(offer === 'purge' ? 'delete' : offer) || !view.admits(ctx)) return () => false
  const allowed = new Set<string>()
  try {
    const records = new Records(view.resource)
    const { client, ...options } = view.callOptions(ctx)
    const wanted = { ...options, deleted: 'include' } as const
    for (const record of await records.locateMany(keys, client, wanted, false)) {
      if (await may(ctx, view, offer, record)) {
        allowed.add(view.resource.key.toPath(view.resource.key.of(record)))
      }
    }
  } catch (error) {
    /* A link less is better than no page. */
    ctx.logger.error({ err: error }, `${view.name}: what may be done with records is not known`)
  }
  return (key) => allowed.has(view.resource.key.toPath(key))
}

/**
 * Whether the answer depends on the record: the policy declares that it takes one.
 */
export function looksAtRecords({ resource }: ModelView): boolean {
  return resource.judgesRecords
}

async function allows(ctx: HttpContext, view: ModelView, offer: Offer, record?: LucidRow) {
  if (!ctx.auth.use('admin').signedIn) return false
  const { actor } = view.callOptions(ctx)
  try {
    const operation = offer === 'view' && record ? 'read' : OPERATIONS[offer]
    return await new Records(view.resource).allows(operation, { actor }, record)
  } catch (error) {
    /* A policy that can't do without a record says nothing against the model as such. */
    if (!record && looksAtRecords(view)) return true
    ctx.logger.error({ err: error }, `${view.name}: the policy could not be asked`)
    return false
  }
}
