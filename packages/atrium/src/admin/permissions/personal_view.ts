import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Actor, Item, Resource } from '#crud'
import { reachedOf } from '#crud/internals'
import { identityOf, type KeyValue } from '#base/columns/key'
import { keyOf, noteKey } from '#base/items'
import type { Column } from '#base/columns/column'
import { adminActor } from '../identity/admin_actor.js'
import { guardOf } from '../identity/admin_guard.js'
import { BoundedMap } from '#base/bounded_map'
import type { Offer } from './offers.js'
import type { NarrowedView } from './may.js'

const NAMES = new WeakMap<Resource, ReadonlySet<string>>()

/** Returns the API names of the fields that a restricted resource hides from its actor, on all records or on some. */
export function concealedIn(resource: Resource): ReadonlySet<string> {
  let known = NAMES.get(resource)
  if (!known) NAMES.set(resource, (known = namesIn(resource)))
  return known
}

/**
 * Returns the API names of the fields that the reader's roles show only on some records, including this one. In an item
 * that was read, such a field is null where it is hidden.
 */
export async function shownOn(
  resource: Resource,
  key: KeyValue,
  { actor, client = resource.client() }: { actor: Actor; client?: QueryClientContract }
): Promise<ReadonlySet<string>> {
  const mixed = [...(resource.projection?.mixed ?? [])]
  if (mixed.length === 0) return new Set()
  const reaches = mixed.map(([, scopes]) => scopes)
  const reached = await reachedOf(resource, [key], reaches, client, { actor })
  const permitted = reached.get(identityOf(key)) ?? []
  return new Set(mixed.flatMap(([name], index) => (permitted[index] ? [name] : [])))
}

/**
 * Runs custom code that formats an item, such as a title function, without giving it values that the reader cannot
 * see.
 *
 * @returns undefined if the code read such a value
 */
export async function shownOf<Result>(
  resource: Resource,
  item: Item,
  make: (item: Item) => Result
): Promise<Awaited<Result> | undefined> {
  const concealed = concealedIn(resource)
  if (concealed.size === 0) return await make(item)
  const watched = watchedItem(item, concealed)
  try {
    const result = await make(watched.item)
    return watched.isComplete() ? result : undefined
  } catch (error) {
    if (watched.isComplete()) throw error
    return undefined
  }
}

/** Returns a proxy of an item that records whether a hidden value was read. */
function watchedItem(item: Item, concealed: ReadonlySet<string>) {
  let isComplete = true
  const watched = new Proxy(item, {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, receiver)
      if ((value ?? null) === null && concealed.has(name as string)) isComplete = false
      return value
    },
  })
  const key = keyOf(item)
  if (key) noteKey(watched, key)
  return { item: watched, isComplete: () => isComplete }
}

function namesIn(resource: Resource): Set<string> {
  const { base, computed } = resource
  if (base === resource) return new Set()
  const names = base.columns.all
    .filter((column) => resource.conceals(column))
    .map(({ apiName }) => apiName)
  const left = new Set(computed.values())
  const gone = [...base.computed.values()].filter((name) => !left.has(name))
  return new Set([...names, ...gone])
}

/*
 * Maximum number of cached views per resource. They differ in actions that are not engine operations, such as
 * `export`.
 */
const STORED_MAX = 50

type Actions = ReadonlySet<string> | 'all'

/* Cached views; users with the same permissions share a view. */
const VIEWS = new WeakMap<NarrowedView, WeakMap<Resource, BoundedMap<string, NarrowedView>>>()

/* Cached per request, as a page uses the same view several times. */
const ASKED = new WeakMap<HttpContext, Map<NarrowedView, Promise<NarrowedView>>>()

/**
 * Returns the view limited by the roles of the signed-in user; the given view if the user is not restricted.
 *
 * @param view  unrestricted view of the site
 */
export async function personalView<View extends NarrowedView>(
  ctx: HttpContext,
  view: View
): Promise<View> {
  let requested = ASKED.get(ctx)
  if (!requested) ASKED.set(ctx, (requested = new Map()))
  let response = requested.get(view)
  if (!response) requested.set(view, (response = resolve(ctx, view)))
  return (await response) as View
}

async function resolve(ctx: HttpContext, view: NarrowedView): Promise<NarrowedView> {
  const permissions = view.adminSite?.permissions
  if (!permissions || !guardOf(ctx).signedIn) return view
  const actor = adminActor(ctx)
  const actions = await permissions.actionsOf(actor, view.name)
  if (!(await permissions.restricts(actor))) return view
  const resource = await view.resource.for(actor, view.client())
  if (resource === view.resource && actions === 'all') return view

  let views = VIEWS.get(view)
  if (!views) VIEWS.set(view, (views = new WeakMap()))
  let known = views.get(resource)
  if (!known) views.set(resource, (known = new BoundedMap(STORED_MAX)))
  const id = actions === 'all' ? actions : textOf(actions)
  let personal = known.get(id)
  if (!personal) known.set(id, (personal = project(view, resource, actions)))
  return personal
}

const TEXTS = new WeakMap<ReadonlySet<string>, string>()

/** Serializes actions; cached, as a compiled role always returns the same set. */
function textOf(actions: ReadonlySet<string>): string {
  let text = TEXTS.get(actions)
  if (text === undefined) TEXTS.set(actions, (text = JSON.stringify([...actions].toSorted())))
  return text
}

/** Creates the limited view; all other properties are inherited from the view of the site. */
function project(view: NarrowedView, resource: Resource, actions: Actions): NarrowedView {
  const allows = (action: string) => actions === 'all' || actions.has(action)
  const may = (offer: Offer) => view.may(offer) && allows(offer === 'read' ? 'view' : offer)
  const titleColumns = view.titleColumns.flatMap((column) => shownIn(resource, column) ?? [])
  const personal = {
    base: view,
    resource,
    may,
    isWithheld: !allows('view'),
    allowedActions: new Set([...view.allowedActions].filter(allows)),
    titleColumns,
    titleColumn: titleColumns[0],
    bulkActions: view.bulkActions.filter(({ name, needs }) => allows(name) && may(needs)),
    recordActions: view.recordActions.filter(({ name, needs }) => allows(name) && may(needs)),
    options: optionsLeft(view.options, resource),
  }
  const properties = Object.entries(personal).map(([name, value]) => [name, { value }])
  return Object.create(view, Object.fromEntries(properties))
}

function shownIn({ columns }: Resource, { apiName }: Column): Column | undefined {
  const column = columns.find(apiName)
  return column?.hidden ? undefined : column
}

/** Returns the options without columns that the user cannot see. */
function optionsLeft(
  options: NarrowedView['options'],
  resource: Resource
): NarrowedView['options'] {
  const hidden = resource.projection?.hidden ?? new Set<string>()
  const shown = new Set([
    ...resource.fields.map(({ apiName }) => apiName),
    ...resource.computed.values(),
  ])
  const { listColumns, searchableColumns, defaultSort, orderBy, title } = options
  return {
    ...options,
    listColumns:
      listColumns &&
      [...listColumns].filter((one) =>
        typeof one === 'string' ? shown.has(one) || one.includes('.') : !hidden.has(new one().name)
      ),
    searchableColumns: searchableColumns && [...searchableColumns].filter((one) => shown.has(one)),
    defaultSort:
      defaultSort
        ?.split(',')
        .filter((one) => shown.has(one.replace(/^-/, '')))
        .join(',') || undefined,
    orderBy: shown.has(orderBy ?? '') ? orderBy : undefined,
    title: typeof title === 'function' ? titleWithout(title, resource) : title,
  }
}

/** Wraps a title function. If it reads a value that the user cannot see, the title is replaced by the key. */
function titleWithout(
  title: Extract<NarrowedView['options']['title'], (...given: any[]) => unknown>,
  resource: Resource
): typeof title {
  const concealed = concealedIn(resource)
  if (concealed.size === 0) return title
  return (item) => {
    const watched = watchedItem(item, concealed)
    try {
      const text = title(watched.item)
      return watched.isComplete() ? text : ''
    } catch (error) {
      if (watched.isComplete()) throw error
      return ''
    }
  }
}
