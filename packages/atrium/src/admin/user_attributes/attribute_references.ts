import { isDeepStrictEqual } from 'node:util'
import { Problem, ValueError, type CallOptions, type HookOptions } from '#crud'
import { invalidBody } from '#base/http/problems'
import { listed } from '#base/errors'
import type { Site } from '../views/site.js'
import type { WithUserAttributes } from '../config/user_attributes.js'
import type { Reference } from '../relations/references.js'

type ReferencesSite = Pick<Site, 'models'> & WithUserAttributes
type Values = Record<string, unknown>

/** Returns the declared attributes that contain the key of a record, by name. */
export function attributeReferences({
  models,
  userAttributes,
}: ReferencesSite): Map<string, Reference> {
  const references = new Map<string, Reference>()
  for (const [name, attribute] of Object.entries(userAttributes)) {
    const view = attribute.references === undefined ? undefined : models.get(attribute.references)
    if (!view) continue
    const [target] = view.resource.key.columns
    references.set(name, { column: target, view, target })
  }
  return references
}

/** @throws ValueError  for a model that the site does not have, or that has a composite key */
export function checkReferencedModels({ models, userAttributes }: ReferencesSite): void {
  for (const [name, { references }] of Object.entries(userAttributes)) {
    if (references === undefined) continue
    const place = `config/admin.ts: userAttributes.${name}.references is '${references}'`
    const view = models.get(references)
    if (!view) {
      const names = [...models.values()].filter((one) => !one.adminModel).map((one) => one.name)
      throw new ValueError(
        `${place}, and must be a model of the admin site: ${listed(names) || 'there is none'}`
      )
    }
    if (view.resource.key.isComposite) {
      throw new ValueError(`${place}, whose key has several columns; an attribute has one value`)
    }
  }
}

/**
 * Checks that the records exist that attributes refer to, for the actor who sets the attributes. Unchanged attributes
 * are not checked.
 *
 * @param before  current attributes of the user
 * @throws Problem 422  if a record does not exist, or the actor cannot see it
 */
export async function checkReferencedRecords(
  site: ReferencesSite,
  attributes: unknown,
  before: Values | null,
  options: HookOptions
): Promise<void> {
  const missing = await missingReferences(site, (attributes ?? {}) as Values, before, options)
  if (missing.length === 0) return
  throw invalidBody(
    missing.map(({ name, text }) => ({
      field: `attributes.${name}`,
      rule: 'foreign_key',
      message: `The ${name} field ${text}`,
    }))
  )
}

/**
 * Returns the attributes whose records do not exist.
 *
 * @returns each attribute with the reason, worded to complete "the attribute ..."
 */
export async function missingReferences(
  site: ReferencesSite,
  attributes: Values,
  before: Values | null = null,
  options: CallOptions = {}
): Promise<Array<{ name: string; text: string }>> {
  const missing = []
  for (const [name, reference] of attributeReferences(site)) {
    const value = attributes[name]
    const isEmpty = value === undefined || value === null
    if (isEmpty || isDeepStrictEqual(value, before?.[name])) continue
    if (await exists(reference, value, options)) continue
    const { view, target } = reference
    const text = `has ${JSON.stringify(value)}, which no ${view.name} has as its ${target.apiName}`
    missing.push({ name, text })
  }
  return missing
}

async function exists(
  { view }: Reference,
  value: unknown,
  { actor, client }: CallOptions
): Promise<boolean> {
  const { crud, resource } = view
  await resource.load()
  const key = resource.key.fromJson(value)
  if (!key) return false
  /* A model in another database cannot be read in the transaction. */
  const isTogether = client?.connectionName === resource.client().connectionName
  try {
    return (await crud.get(key[0], { actor, ...(isTogether && { client }) })) !== null
  } catch (error) {
    if (error instanceof Problem && error.status === 403) return false
    throw error
  }
}
