import vine from '@vinejs/vine'
import { ValueError } from '#crud'
import { checkEach, isList, isObject, LABEL, TEXT, type Check } from '#base/checks'
import { listed } from '#base/errors'

/** An attribute of users that the application declares in `userAttributes` of `config/admin.ts`. */
export interface UserAttribute {
  type: 'text' | 'number' | 'boolean'
  /** Default: the name of the attribute in words */
  label?: string
  /** Help text, shown below the field in the form */
  help?: string
  /** Allowed values. Default: any value of the type */
  choices?: readonly (string | number)[]
  /** Name of the model of the admin site whose records the attribute refers to by key: `'Branch'` */
  references?: string
}

export type UserAttributes = Readonly<Record<string, UserAttribute>>

interface TypeOf {
  text: string
  number: number
  boolean: boolean
}

/**
 * Types of the attributes that a configuration declares.
 *
 * @example
 * ```ts
 * declare module 'adonis-atrium/admin' {
 *   interface AdminUserAttributes extends InferUserAttributes<typeof adminConfig> {}
 * }
 * ```
 */
export type InferUserAttributes<Config extends { userAttributes: UserAttributes }> = {
  [Name in keyof Config['userAttributes']]?: TypeOf[Config['userAttributes'][Name]['type']]
}

const TYPES = ['text', 'number', 'boolean']

const ATTRIBUTE: Record<keyof UserAttribute, Check> = {
  type: [(value) => TYPES.includes(value), `one of ${listed(TYPES)}`],
  label: LABEL,
  help: TEXT,
  choices: [
    (value) => isList(value, (one) => ['string', 'number'].includes(typeof one)),
    'a list of texts or numbers',
  ],
  references: TEXT,
}

/** @throws ValueError  for an attribute with an invalid name, without a type, or with an invalid option */
export function checkUserAttributes(place: string, attributes: UserAttributes): void {
  for (const [name, attribute] of Object.entries(attributes)) {
    if (!/^[A-Za-z_]\w{0,63}$/.test(name) || name === '__proto__' || !isObject(attribute)) {
      throw new ValueError(
        `${place}: userAttributes.${name} must be a name of letters, digits and _ with options, as in { branch_id: { type: 'number' } }`
      )
    }
    const group = `userAttributes.${name}`
    checkEach(place, { ...attribute }, ATTRIBUTE, { group, mayBeUndefined: true })
    if (attribute.type === undefined) {
      throw new ValueError(
        `${place}: ${group}.type is missing, and must be one of ${listed(TYPES)}`
      )
    }
    if (attribute.references !== undefined && (attribute.choices || attribute.type === 'boolean')) {
      throw new ValueError(
        `${place}: ${group}.references goes with the type of a key, 'number' or 'text', and without choices`
      )
    }
  }
}

/**
 * Returns the schema of the attributes of a user: declared attributes are validated by type, others are left unchanged.
 */
export function attributesSchema(declared: UserAttributes) {
  const properties = Object.entries(declared).map(([name, { choices, type }]) => [
    name,
    schemaOf(type, choices).nullable().optional(),
  ])
  return vine.object(Object.fromEntries(properties)).allowUnknownProperties()
}

function schemaOf(type: UserAttribute['type'], choices?: readonly (string | number)[]) {
  if (type === 'boolean') return vine.boolean()
  if (type === 'text') return choices ? vine.enum(choices.map(String)) : vine.string()
  return choices ? vine.number().in(choices.map(Number)) : vine.number()
}

/**
 * Parses attributes from texts such as `branch_id=4`.
 *
 * @throws ValueError  for an unknown attribute or an invalid value
 */
export async function readAttributes(
  declared: UserAttributes,
  given: readonly string[]
): Promise<Record<string, unknown>> {
  const texts: Record<string, string> = {}
  for (const one of given) {
    const [, name, text] = /^([^=]+)=(.*)$/s.exec(one) ?? []
    if (name === undefined) throw new ValueError(`${JSON.stringify(one)} is not NAME=VALUE`)
    if (!Object.hasOwn(declared, name)) {
      const names = Object.keys(declared)
      const known = names.length > 0 ? `attributes are ${listed(names)}` : 'none is declared'
      throw new ValueError(
        `Unknown attribute ${JSON.stringify(name)}; ${known} in userAttributes of config/admin.ts`
      )
    }
    if (text.trim() === '') throw new ValueError(`The attribute ${name} needs a value`)
    texts[name] = text
  }
  const [error, values] = await vine.tryValidate({
    schema: attributesSchema(declared),
    data: texts,
  })
  if (!error) return values
  const { messages = [] } = error as { messages?: Array<{ field: string; message: string }> }
  const [first] = messages
  if (!first) throw error
  const reason = first.message.replace(/^The \S+ field /, '')
  const colon = reason === first.message ? ': ' : ' '
  throw new ValueError(`The attribute ${first.field}${colon}${reason}`)
}

/** A site with attributes of users that the application declares */
export interface WithUserAttributes {
  readonly userAttributes: UserAttributes
}
