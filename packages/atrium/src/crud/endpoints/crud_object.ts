import { shown, ValueError } from '#base/errors'
import { checkOptions } from '../checks.js'
import { LucidCrud } from '../lucid_crud.js'
import { Resource } from '../resource/resource.js'
import type { ColumnSettings } from '../types.js'
import type { EndpointOptions, ModelEndpointOptions } from './endpoint_options.js'

/** Returns the column settings: options of the endpoints override those of the CRUD object. */
export function settingsOf({ crud, ...options }: EndpointOptions): ColumnSettings {
  const carried = crud instanceof LucidCrud ? crud.settings : {}
  return {
    isDeletedColumn: options.isDeletedColumn ?? carried.isDeletedColumn,
    deletedAtColumn: options.deletedAtColumn ?? carried.deletedAtColumn,
    updatedAtColumn: options.updatedAtColumn ?? carried.updatedAtColumn,
  }
}

/**
 * Creates the resource and the CRUD object of a model's endpoints from the same options, wherever they are mounted.
 *
 * @throws ValueError, TypeError or RuntimeError  for invalid options
 */
export function resourceAndCrud(options: ModelEndpointOptions): {
  resource: Resource
  crud: LucidCrud
} {
  checkOptions(options)
  const resource = new Resource({ ...options, ...settingsOf(options) })
  return { resource, crud: crudOf(options, resource) }
}

/**
 * Returns the CRUD object for the option `crud`: the object itself, or an instance of the class.
 *
 * @throws ValueError  when the option is not a `LucidCrud`, or belongs to another model
 */
export function crudOf({ crud = LucidCrud }: EndpointOptions, resource: Resource): LucidCrud {
  const { model, name } = resource
  const object = isSubclass(crud, LucidCrud) ? new crud(model) : crud
  if (!(object instanceof LucidCrud)) {
    throw new ValueError(
      `${name}: crud is ${shown(crud)}, and must be a LucidCrud, or a subclass of it`
    )
  }
  if (object.model !== model) {
    throw new ValueError(`${name}: crud is one for ${object.model?.name}, and must be for ${name}`)
  }
  return object.bind(resource) as unknown as LucidCrud
}

function isSubclass<Class>(value: unknown, base: Class): value is Class {
  return value === base || (value as any)?.prototype instanceof (base as any)
}
