import type { EndpointCreator } from '../endpoints/endpoint_creator.js'
import type { Resource } from '../resource/resource.js'
import { crudConfig } from '../settings.js'
import { describeBody } from './request_body.js'
import { describeBatch, describeBatchAnswer } from './batch_schema.js'
import { describeItem, describeList } from './item_schema.js'
import { identifier, type EndpointNames, type UniqueNames } from './names.js'
import { schemaRef } from './operation_objects.js'
import type { SchemaObject } from './openapi_types.js'

/** The named schemas of the document, as far as something refers to them. */
export class Schemas {
  readonly all: Record<string, SchemaObject> = {}
  readonly #names: Map<EndpointCreator, EndpointNames>
  readonly #items = new Map<Resource, string>()
  readonly #free: UniqueNames

  /**
   * @param names   of the endpoints
   * @param free    provides names for schemas of models without endpoints
   * @param failed  called for a model whose items cannot be described; its schema allows any object
   */
  constructor(
    names: Map<EndpointCreator, EndpointNames>,
    free: UniqueNames,
    private readonly failed: (resource: Resource, error: unknown) => void
  ) {
    this.#names = names
    this.#free = free
    for (const [{ resource }, { item }] of names) this.#items.set(resource, item)
  }

  /** Adds the schemas of the endpoints' operations. */
  add(endpoints: EndpointCreator): void {
    const { resource, routes } = endpoints
    const { item } = this.#names.get(endpoints)!
    const answers = new Set(routes.map(({ openapi }) => openapi?.answer))
    const has = (...names: string[]) => routes.some(({ name }) => names.includes(name))
    const { strictBody } = crudConfig()
    const hasList = has('read_multi', 'read_paginated') || answers.has('list')

    if (hasList || has('create', 'read', 'update', 'batch') || answers.has('item'))
      this.#refTo(resource)
    if (has('create'))
      this.#set(`${item}Create`, describeBody(resource.createBody, 'create', strictBody))
    if (has('update'))
      this.#set(`${item}Update`, describeBody(resource.updateBody, 'update', strictBody))
    const batch = routes.find(({ operations }) => operations)
    if (batch) {
      this.all[`${item}Batch`] = describeBatch(resource, batch.operations!, strictBody)
      this.all[`${item}BatchAnswer`] = describeBatchAnswer(resource, schemaRef(item))
    }
    if (hasList) this.all[`${item}List`] = describeList(schemaRef(item), resource)
  }

  /** Two models may include each other, so the name exists before the schema. */
  #refTo(resource: Resource): SchemaObject {
    let name = this.#items.get(resource)
    if (!name) {
      name = this.#free.take(identifier(resource.name))
      this.#items.set(resource, name)
    }
    if (!this.all[name]) {
      this.all[name] = { type: 'object', additionalProperties: true }
      try {
        this.#set(
          name,
          describeItem(resource, (related) => this.#refTo(related))
        )
      } catch (error) {
        this.failed(resource, error)
      }
    }
    return schemaRef(name)
  }

  /** @throws TypeError  for a schema that is not JSON */
  #set(name: string, schema: SchemaObject): void {
    JSON.stringify(schema)
    this.all[name] = schema
  }
}
