export class A<T> { f(): void {} }
const x = () => 1;
