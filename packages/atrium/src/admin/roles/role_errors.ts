import { closest, distance } from 'fastest-levenshtein'
import logger from '@adonisjs/core/services/logger'
import { listed } from '#base/errors'
import { transitionNames } from '#base/columns/transitions'
import type { WithUsers } from '../authentication/admin_user_service.js'
import type { ModelView } from '../views/model_view.js'
import type { Site } from '../views/site.js'
import { permissionOfPage, type WithPages } from '../views/admin_page.js'
import { permissionOfCard, type WithCards } from '../views/admin_card.js'
import AdminRole from '../models/admin_role.js'
import {
  ALL,
  namesInList,
  LISTS,
  modelsIn,
  OWN_TOKENS,
  ROLE_ACTIONS,
  type ModelPermissions,
  type PermissionsDocument,
  type RoleList,
} from '../models/permissions_document.js'

/** A name in permissions that does not exist in this application. */
interface UnknownName {
  model: string
  kind: 'model' | 'own' | 'action' | 'field' | 'scope' | RoleList
  name: string
  /** Description such as `the scope ownBranch of Film` */
  text: string
  /** The most similar existing name, which was perhaps meant */
  near: string | undefined
}

/* Maximum edit distance of a name that counts as a typing error */
const MAX_EDIT_DISTANCE = 3

/**
 * Returns the names of models, actions, fields and scopes that the application does not have. Such names stay in the
 * document, as they can exist again later; until then they have no effect.
 */
export function unknownNames(site: NamedSite, document: PermissionsDocument): UnknownName[] {
  return [
    ...unknownModels(site, document),
    ...LISTS.flatMap((list) => unlisted(site, document, list)),
  ]
}

/** Parts of the site whose names roles contain. */
type NamedSite = Pick<Site, 'models'> & Partial<ListedSite>

type ListedSite = WithPages & WithCards

/** Returns the names by which roles allow pages or cards of the application, each with a label. */
export function offeredNames(
  { pages, cards }: Partial<ListedSite>,
  list: RoleList
): Map<string, string> {
  const all: Array<[name: string, label: string]> =
    list === 'pages'
      ? [...(pages?.values() ?? [])].map((page) => [permissionOfPage(page), page.label])
      : [...(cards?.values() ?? [])].map((card) => [permissionOfCard(card), card.label])
  const labels = Map.groupBy(all, ([name]) => name)
  return new Map([...labels].map(([name, some]) => [name, some.map(([, one]) => one).join(', ')]))
}

function unlisted(site: NamedSite, document: PermissionsDocument, list: RoleList): UnknownName[] {
  const known = offeredNames(site, list)
  const gone = namesInList(document, list).filter((name) => name !== ALL && !known.has(name))
  return gone.map((name) => ({
    model: list,
    kind: list,
    name,
    text: `the ${list === 'pages' ? 'page' : 'card'} ${name}`,
    near: nearest(name, [...known.keys()]),
  }))
}

function unknownModels({ models }: NamedSite, document: PermissionsDocument): UnknownName[] {
  return modelsIn(document).flatMap(([model, entry]): UnknownName[] => {
    if (model === ALL) return unknownEverywhere(models, entry)
    const view = models.get(model)
    if (!view) {
      const near = nearest(model, modelNames(models))
      return [{ model, kind: 'model', name: model, text: `the model ${model}`, near }]
    }
    if (model === OWN_TOKENS) return unknownOf(view, entry)
    if (view.adminModel) {
      const text = `the model ${model}, which is the site's own and for superusers only`
      return [{ model, kind: 'own', name: model, text, near: undefined }]
    }
    return unknownOf(view, entry)
  })
}

/** Returns all actions of a model that a role can allow. */
export function actionsOf({ bulkActions, recordActions, resource }: ModelView): string[] {
  const transitions = transitionNames(resource.limitedColumns)
  return [
    ...ROLE_ACTIONS,
    ...[...bulkActions, ...recordActions].map(({ name }) => name),
    ...transitions,
  ]
}

/** Returns the API names of all fields of a model that can be hidden or read-only. */
export function fieldsOf({ manyToMany, resource }: ModelView): string[] {
  const names = new Set([
    ...resource.fields.map(({ apiName }) => apiName),
    ...resource.columns.all.map(({ apiName }) => apiName),
    ...resource.computed.values(),
    ...resource.virtualFields,
    ...manyToMany.map(({ name }) => name),
  ])
  return [...names]
}

function unknownOf(view: ModelView, entry: ModelPermissions): UnknownName[] {
  const { name: model, options } = view
  const actions = new Set([ALL, ...actionsOf(view)])
  const fields = new Set(fieldsOf(view))
  const scopes = new Set(Object.keys(options.scopes ?? {}))
  const of = (kind: UnknownName['kind'], given: readonly string[] = [], known: Set<string>) =>
    given
      .filter((name) => !known.has(name))
      .map((name) => ({
        model,
        kind,
        name,
        text: `the ${kind} ${name} of ${model}`,
        near: nearest(name, [...known]),
      }))
  const named = [...new Set([...(entry.hidden ?? []), ...(entry.readonly ?? [])])]
  return [
    ...of('action', entry.actions, actions),
    ...of('field', named, fields),
    ...of('scope', entry.scopes, scopes),
  ]
}

function modelNames(models: ReadonlyMap<string, ModelView>): string[] {
  return [...models.values()].filter(({ adminModel }) => !adminModel).map(({ name }) => name)
}

function nearest(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined
  const found = closest(name, known)
  return found !== ALL && distance(name, found) <= MAX_EDIT_DISTANCE ? found : undefined
}

/** Returns the unknown names in the entry of `*`: those that no model has. */
function unknownEverywhere(
  models: ReadonlyMap<string, ModelView>,
  entry: ModelPermissions
): UnknownName[] {
  const views = [...models.values()].filter(({ adminModel }) => !adminModel)
  const each = views.map((view) => unknownOf(view, entry))
  const [first = []] = each
  return first
    .filter(({ kind, name }) =>
      each.every((unknown) => unknown.some((one) => one.kind === kind && one.name === name))
    )
    .map((one) => ({ ...one, model: ALL, text: `the ${one.kind} ${one.name}` }))
}

/**
 * Returns configuration errors of the roles: a missing default role, and names that the application does not have,
 * which have no effect.
 */
export async function roleErrors(
  site: WithUsers & NamedSite
): Promise<Array<{ severity: 'error' | 'warning'; text: string }>> {
  const error = await site.adminUserService.defaultRole.error()
  const roles = await AdminRole.query().orderBy('name')
  const unknown = roles.flatMap(({ name, permissions }) => {
    const names = unknownNames(site, permissions).map(({ text }) => text)
    if (names.length === 0) return []
    const text = `The role ${name} names what there is not, which allows nothing: ${listed(names)}`
    return [{ severity: 'warning' as const, text }]
  })
  return error ? [{ severity: 'error' as const, text: error }, ...unknown] : unknown
}

/** Logs the errors of the roles at boot. They do not prevent the start. */
export async function reportRoleErrors(site: WithUsers & NamedSite): Promise<void> {
  try {
    for (const { severity, text } of await roleErrors(site)) {
      if (severity === 'error') logger.error(text)
      else logger.warn(text)
    }
  } catch (error) {
    logger.error({ err: error }, 'The roles could not be looked at')
  }
}

/** Returns the views of the application's models, for which roles can have permissions. */
export function offeredViews(site: Pick<Site, 'models'>): ModelView[] {
  return [...site.models.values()].filter(({ adminModel }) => !adminModel)
}
