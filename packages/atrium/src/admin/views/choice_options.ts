import { isObject, LABEL, type Check } from '#base/checks'
import { ValueError } from '#crud'
import { listed, shown } from '#base/errors'

/** Colours of badges, as in docs/ui-kit.md */
const COLORS = [
  'gray',
  'red',
  'orange',
  'amber',
  'green',
  'teal',
  'blue',
  'violet',
  'pink',
] as const

/** Display options of a value from a fixed list. */
export interface ChoiceOptions {
  /** Default: the value */
  label?: string
  /** Colour of the badge in lists. Default: that of the theme */
  color?: (typeof COLORS)[number]
}

/** The part of a view that has the options of fields */
interface ViewOfFields {
  fieldOptions(apiName: string): { readonly choices?: Readonly<Record<string, ChoiceOptions>> }
}

/** Returns the display options of a field's value; undefined if there are none. */
export function choiceOf(
  view: ViewOfFields,
  apiName: string,
  value: unknown
): ChoiceOptions | undefined {
  const { choices } = view.fieldOptions(apiName)
  const name = String(value)
  return choices && Object.hasOwn(choices, name) ? choices[name] : undefined
}

const CHOICE: Record<keyof ChoiceOptions, Check> = {
  label: LABEL,
  color: [(value) => COLORS.includes(value), `one of ${listed(COLORS)}`],
}

/** Check of the option `choices` of a field, without the options of each choice */
export const CHOICES: Check = [
  (value) => isObject(value) && Object.values(value).every(isObject),
  "a map from values to their labels and colours, as in { in_progress: { label: 'In progress', color: 'amber' } }",
]

/**
 * Checks the options of each choice.
 *
 * @throws ValueError  for an unknown option or an invalid value
 */
export function checkChoices(
  place: string,
  choices: Readonly<Record<string, ChoiceOptions>>
): void {
  for (const [value, options] of Object.entries(choices)) {
    for (const [name, given] of Object.entries(options)) {
      if (!Object.hasOwn(CHOICE, name)) {
        throw new ValueError(
          `${place}.${value}: there is no option '${name}'; options are ${listed(Object.keys(CHOICE))}`
        )
      }
      const [isRight, wanted] = CHOICE[name as keyof ChoiceOptions]
      if (given === undefined || isRight(given)) continue
      throw new ValueError(`${place}.${value}: ${name} is ${shown(given)}, and must be ${wanted}`)
    }
  }
}
