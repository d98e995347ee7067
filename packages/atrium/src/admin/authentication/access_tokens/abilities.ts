import { resources, ValueError, type Operation } from '#crud'
import { listed } from '#base/errors'
import { OPERATIONS } from '#crud/internals'

/* More than a token needs; every request compares all of them. */
const MOST_ABILITIES = 100

/**
 * Returns true if one of the abilities covers an operation on a model. `*` stands for all, on its
 * own or on either side of the colon. [P10]
 */
export function allows(abilities: readonly string[], model: string, operation: Operation): boolean {
  const sufficient = ['*', '*:*', `${model}:*`, `*:${operation}`, `${model}:${operation}`]
  return abilities.some((ability) => sufficient.includes(ability))
}

/**
 * Parses typed abilities, as in `Product:read, Film:*`, separated by commas, spaces or line breaks.
 *
 * @returns the abilities without duplicates
 * @throws ValueError  for an empty text, an unknown model or an unknown operation
 */
export function readAbilities(text: string): string[] {
  const abilities = [...new Set(text.split(/[\s,]+/).filter(Boolean))]
  if (abilities.length === 0) {
    throw new ValueError(`A token needs an ability, as in ${examples()}`)
  }
  if (abilities.length > MOST_ABILITIES) {
    throw new ValueError(`A token has ${MOST_ABILITIES} abilities at most`)
  }
  for (const ability of abilities) check(ability)
  return abilities
}

/**
 * Names of the models that a token can be restricted to.
 */
export function modelNames(): string[] {
  const names = resources.all().map(({ name }) => name)
  return [...new Set(names)].sort()
}

function check(ability: string) {
  if (ability === '*') return
  const [model, operation, ...rest] = ability.split(':')
  if (operation === undefined || rest.length > 0) {
    throw new ValueError(
      `Unknown ability ${JSON.stringify(ability)}: an ability is MODEL:OPERATION, as in ${examples()}`
    )
  }
  if (model !== '*' && !modelNames().includes(model)) {
    throw new ValueError(
      `${JSON.stringify(ability)} names a model without endpoints; models are ${listed([...modelNames(), '*'])}`
    )
  }
  if (![...OPERATIONS, '*'].includes(operation)) {
    throw new ValueError(
      `${JSON.stringify(ability)} names no operation; operations are ${listed([...OPERATIONS, '*'])}`
    )
  }
}

function examples(): string {
  const [model = 'Product'] = modelNames()
  return `${model}:read, ${model}:*, *:create or *`
}
