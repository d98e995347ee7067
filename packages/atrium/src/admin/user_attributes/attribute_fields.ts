import type { HttpContext } from '@adonisjs/core/http'
import { isObject } from '#base/checks'
import type { Site } from '../views/site.js'
import { fieldViews } from '../forms/fields/field_view.js'
import type { FieldView } from '../forms/fields/shown_field.js'
import { referenceField } from '../forms/fields/form_fields.js'
import { Widget } from '../views/widget.js'
import { wordsOf } from '../text/plain_text.js'
import AdminUser from '../models/admin_user.js'
import type { UserAttribute, WithUserAttributes } from '../config/user_attributes.js'
import { isDeepStrictEqual } from 'node:util'
import { Problem, ValueError, type CallOptions, type HookOptions } from '#crud'
import { invalidBody } from '#base/http/problems'
import { listed } from '#base/errors'
import type { Reference } from '../relations/references.js'

interface Parts {
  /** Form values of the declared attributes */
  texts: Record<string, string>
  /** Values of other attributes, which the form keeps unchanged */
  others: Record<string, unknown>
}

/**
 * Widget for the attributes of a user, with a field of the matching type for each declared attribute; others stay
 * unchanged.
 */
export function attributesWidget(site: Site & WithUserAttributes) {
  const declared = site.userAttributes
  const names = Object.keys(declared)

  return class AttributesWidget extends Widget {
    readonly template = 'admin/partials/fields/attributes'
    readonly isGroup = true

    collect(name: string, sent: ReadonlyMap<string, readonly string[]>): string[] | undefined {
      if (!names.some((one) => sent.has(`${name}.${one}`))) return undefined
      const texts = names.map((one) => [one, sent.get(`${name}.${one}`)?.at(-1)?.trim() ?? ''])
      const others = partsOf(sent.get(`${name}.__others`)?.at(-1)).others
      return [JSON.stringify({ texts: Object.fromEntries(texts), others })]
    }

    read([text]: string[]): unknown {
      const { others, texts } = partsOf(text)
      const filled = Object.entries(texts).filter(([, value]) => value !== '')
      return { ...others, ...Object.fromEntries(filled) }
    }

    show(value: unknown): string[] {
      const stored = isObject(value) ? (value as Record<string, unknown>) : {}
      const texts = names.map((one) => [one, stored[one] === undefined ? '' : textOf(stored[one])])
      const others = Object.entries(stored).filter(([one]) => !names.includes(one))
      return [
        JSON.stringify({ texts: Object.fromEntries(texts), others: Object.fromEntries(others) }),
      ]
    }

    async data(ctx: HttpContext, name: string, values: string[]): Promise<unknown> {
      const { others, texts } = partsOf(values[0])
      const choices = await choicesOfRecords(ctx, site, `${name}.`, texts)
      return {
        others: { name: `${name}.__others`, value: JSON.stringify({ texts: {}, others }) },
        inputs: Object.entries(declared).map(([one, attribute]) => ({
          name: `${name}.${one}`,
          label: labelOf(one, attribute),
          help: attribute.help,
          type: attribute.type,
          value: texts[one] ?? '',
          choices:
            attribute.type === 'boolean' ? ['true', 'false'] : attribute.choices?.map(String),
          record: choices.get(one),
        })),
      }
    }
  }
}

/** Returns the form fields for selecting a record, of the attributes that refer to one. */
async function choicesOfRecords(
  ctx: HttpContext,
  site: Site & WithUserAttributes,
  prefix: string,
  texts: Record<string, string>
): Promise<Map<string, FieldView>> {
  const references = [...attributeReferences(site)]
  const fields = references.map(([name, reference]) =>
    referenceField(name, labelOf(name, site.userAttributes[name]), reference)
  )
  const views = await fieldViews(ctx, site, site.models.get(AdminUser.name)!, fields, {
    shown: Object.fromEntries(fields.map(({ name }) => [name, [texts[name] ?? '']])),
    stored: undefined,
    errors: {},
    cleared: new Set(),
    prefix,
  })
  return new Map(views.map((view, index) => [fields[index].name, view]))
}

function labelOf(name: string, { label }: UserAttribute): string {
  return label ?? wordsOf(name)
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function partsOf(text: string | undefined): Parts {
  try {
    const parts = JSON.parse(text ?? '{}') as Partial<Parts>
    return { texts: parts.texts ?? {}, others: parts.others ?? {} }
  } catch {
    return { texts: {}, others: {} }
  }
}

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
