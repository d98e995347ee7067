import { BaseEvent } from '@adonisjs/core/events'
import type Product from '../models/product.js'

class ProductEvent extends BaseEvent {
  constructor(readonly product: Product) {
    super()
  }
}

export class ProductCreated extends ProductEvent {}

export class ProductUpdated extends ProductEvent {}
