import { splitFilterName } from '#base/columns/filter'
import { isOperator, operatorsOf } from '#base/columns/operators'
import type { Resource } from '../resource/resource.js'
import type { ParameterObject } from './openapi_types.js'
import { filterParameter } from './parameter_objects.js'
import { fieldsOf, lastOf, pathOf } from './related_paths.js'

/** Returns the parameters of the filters on related fields. */
export function relatedParameters(resource: Resource): ParameterObject[] {
  const declared = resource.filters.relatedNames.flatMap((name) => {
    const { column: place, operator } = splitFilterName(name)
    const column = pathOf(resource, place)?.columnOf(lastOf(place))
    if (!column || !isOperator(operator)) return []
    const own = { name, column, operator, fallback: undefined, defaultValue: null }
    return inWords(filterParameter(own), column.apiName, place)
  })
  const open = [...resource.filters.openNames].flatMap((relation) =>
    fieldsOf(resource, relation).flatMap((column) => {
      const operators = operatorsOf(column).filter((one) => one !== 'eq')
      const place = `${relation}.${column.apiName}`
      if (!operatorsOf(column).includes('eq')) return []
      const own = { column, fallback: undefined, defaultValue: null }
      const [parameter] = inWords(
        filterParameter({ ...own, name: place, operator: 'eq' }),
        column.apiName,
        place
      )
      const others = operators.map((one) => `\`${place}__${one}\``).join(', ')
      return { ...parameter, description: `${parameter.description}. Also ${others}` }
    })
  )
  return [...declared, ...open]
}

function inWords(parameter: ParameterObject, column: string, place: string): ParameterObject[] {
  const description = parameter.description?.replace(column, `\`${place}\``)
  return [{ ...parameter, description }]
}
